import { z } from 'zod'
import { imageSources } from '../media/image.ts'
import { maxCharacters } from '../ui/characters.ts'
import { linkRefusal } from '../ui/link-refusal.ts'
import { cleanUrl } from '../ui/typed-text.ts'
import { textOfPlain } from './plain-text.ts'
import { ALT_TOO_LONG, linkIn, MAX_ALT, MAX_CHARACTERS, type Text, tidied, tooMuchOf } from './text.ts'

// UTF-16 units. Exceeds every valid text with its links, and is checked before parsing.
const MAX_UNITS = 500_000
const NO_TEXT = '文章を読み取れませんでした。画面を読み込みなおして、もう一度お試しください。'

const runs = z.array(
  z.object(
    {
      text: z.string(NO_TEXT),
      bold: z.literal(true, NO_TEXT).optional(),
      href: z
        .string(NO_TEXT)
        .overwrite(cleanUrl)
        .refine((href) => linkIn(href) !== null, { error: ({ input }) => linkRefusal(String(input)) })
        .optional(),
    },
    NO_TEXT,
  ),
  NO_TEXT,
)

// Zod strips unknown properties.
const blocks = z.array(
  z.discriminatedUnion(
    'kind',
    [
      z.object({ kind: z.enum(['heading', 'subheading', 'paragraph']), runs }),
      z.object({ kind: z.enum(['list', 'numbered list']), items: z.array(runs, NO_TEXT) }),
      z.object({
        kind: z.literal('picture'),
        url: z.string(NO_TEXT).refine((url) => imageSources(url) !== null, '写真を選びなおしてください'),
        alt: z.string(NO_TEXT).refine(maxCharacters(MAX_ALT), ALT_TOO_LONG),
      }),
    ],
    NO_TEXT,
  ),
  NO_TEXT,
)

/** Schema of a text from a form: JSON from the editor, or plain text for `textOfPlain`. HTML counts as plain text. */
export const textSchema = z
  .string(NO_TEXT)
  .default('')
  .transform((value, context) => {
    const { text, refusal } = readText(value)
    if (text) return text
    context.issues.push({ code: 'custom', message: refusal, input: value })
    return z.NEVER
  })

type Read = { text: Text; refusal?: undefined } | { text?: undefined; refusal: string }

/** Parses a form value. Returns an error message as `refusal` if the text is invalid or too long. */
export function readText(value: string): Read {
  if (value.length > MAX_UNITS) return { refusal: `文章は${MAX_CHARACTERS}文字までです` }
  const read = readAny(value)
  const refusal = read.text && tooMuchOf(read.text)
  return refusal ? { refusal } : read
}

/** Parses a form value or draft of any length for the editor. Returns an empty text if the value is invalid. */
export function textToEdit(value: string): Text {
  return readAny(value).text ?? []
}

function readAny(value: string): Read {
  // Only the JSON of a text begins like this.
  if (!/^\[(?:\{"kind":|\]$)/.test(value)) return { text: textOfPlain(value) }
  try {
    const read = blocks.safeParse(JSON.parse(value))
    return read.success ? { text: tidied(read.data) } : { refusal: read.error.issues[0]?.message ?? NO_TEXT }
  } catch {
    return { refusal: NO_TEXT }
  }
}
