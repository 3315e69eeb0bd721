import { z } from 'zod'
import { imageSources } from '../media/image.ts'
import { maxCharacters } from '../ui/characters.ts'
import { linkRefusal } from '../ui/link-refusal.ts'
import { cleanUrl } from '../ui/typed-text.ts'
import { parsePlainText } from './plain-text.ts'
import { ALT_TOO_LONG, lengthErrorOf, MAX_ALT, MAX_CHARACTERS, normalizeText, parseLink, type Text } from './text.ts'

// Length in UTF-16 units. Every valid text with its links is shorter, so longer JSON is rejected before parsing.
const MAX_JSON_LENGTH = 500_000
const INVALID_TEXT = '文章を読み取れませんでした。画面を再読み込みして、もう一度お試しください。'

const runs = z.array(
  z.object({
    text: z.string(),
    bold: z.literal(true).optional(),
    href: z
      .string()
      .overwrite(cleanUrl)
      .refine((href) => parseLink(href) !== null, { error: ({ input }) => linkRefusal(String(input)) })
      .optional(),
  }),
)

// Zod strips unknown properties, so they are never stored.
export const textBlocks = z.array(
  z.discriminatedUnion('kind', [
    z.object({ kind: z.enum(['heading', 'subheading', 'paragraph']), runs }),
    z.object({ kind: z.enum(['list', 'numbered list']), items: z.array(runs) }),
    z.object({
      kind: z.literal('picture'),
      url: z.string().refine((url) => imageSources(url) !== null, '写真を選び直してください'),
      alt: z.string().refine(maxCharacters(MAX_ALT), ALT_TOO_LONG),
    }),
  ]),
)

/** Schema of a text from a form. Accepts JSON from the editor, and plain text. HTML counts as plain text. */
export const textSchema = z
  .string(INVALID_TEXT)
  .default('')
  .transform((value, context) => {
    const { text, refusal } = readText(value)
    if (text) return text
    context.issues.push({ code: 'custom', message: refusal, input: value })
    return z.NEVER
  })

type ReadResult = { text: Text; refusal?: undefined } | { text?: undefined; refusal: string }

export function readText(value: string): ReadResult {
  if (value.length > MAX_JSON_LENGTH) return { refusal: `文章は${MAX_CHARACTERS}文字までです` }
  const result = parseValue(value)
  const refusal = result.text && lengthErrorOf(result.text)
  return refusal ? { refusal } : result
}

/** Parses a form value or draft of any length for the editor. Returns an empty text if the value is invalid. */
export function textToEdit(value: string): Text {
  return parseValue(value).text ?? []
}

function parseValue(value: string): ReadResult {
  // The JSON of a text begins with this pattern. Every other value is plain text.
  if (!/^\[(?:\{"kind":|\]$)/.test(value)) return { text: parsePlainText(value) }
  try {
    const parsed = textBlocks.safeParse(JSON.parse(value), { error: () => INVALID_TEXT })
    return parsed.success
      ? { text: normalizeText(parsed.data) }
      : { refusal: parsed.error.issues[0]?.message ?? INVALID_TEXT }
  } catch {
    return { refusal: INVALID_TEXT }
  }
}
