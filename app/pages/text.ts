import { fitsIn, truncate } from '../ui/characters.ts'
import { safeLink } from '../ui/safe-link.ts'
import { cleanLine, cleanUrl, isBlank, withoutUnseen } from '../ui/typed-text.ts'

/** Part of a line with one format. A `\n` in `text` begins a new line of the same paragraph. */
export type Run = { text: string; bold?: true | undefined; href?: string | undefined }
export type Block =
  | { kind: 'heading' | 'subheading' | 'paragraph'; runs: Run[] }
  | { kind: 'list' | 'numbered list'; items: Run[][] }
  | { kind: 'picture'; url: string; alt: string }
export type Text = Block[]
export type RowKind = Exclude<Block['kind'], 'picture'>

/** HTML elements of the block kinds. */
export const tags = { heading: 'h2', subheading: 'h3', paragraph: 'p', list: 'ul', 'numbered list': 'ol' } as const

export const MAX_ROWS = 600
export const MAX_CHARACTERS = 40_000
export const MAX_ALT = 200
export const MAX_HREF = 2000
export const ALT_TOO_LONG = `写真の説明は${MAX_ALT}文字までです`

/** Returns an error message if the text has too many rows or characters, else null. */
export function tooMuchOf(text: Text) {
  if (rowsOf(text) > MAX_ROWS) return `文章は、段落と箇条書きの行を合わせて${MAX_ROWS}までです`
  if (!fitsIn(wordsOf(text).join(''), MAX_CHARACTERS)) return `文章は${MAX_CHARACTERS}文字までです`
  return null
}

/** Returns the number of paragraphs, headings, images and list items. */
export function rowsOf(text: Text) {
  return text.reduce((rows, block) => rows + ('items' in block ? block.items.length : 1), 0)
}

/** Returns the beginning of the paragraphs, or of all blocks if the text has no paragraph, for search engines. */
export function textBegins(text: Text, most = 110) {
  const paragraphs = text.filter(({ kind }) => kind === 'paragraph')
  const words = wordsOf(paragraphs.length > 0 ? paragraphs : text)
    .join(' ')
    .replace(/\s+/g, ' ')
  return fitsIn(words, most) ? words : `${truncate(words, most - 1)}…`
}

function wordsOf(text: Text) {
  return text.flatMap((block) => {
    if ('runs' in block) return [inOne(block.runs)]
    return 'items' in block ? block.items.map(inOne) : [block.alt]
  })
}

/** Replaces each link with its text if `isOpen` returns false. */
export function withoutClosedLinks(text: Text, isOpen: (href: string) => boolean): Text {
  const line = (runs: Run[]) =>
    runs.map((run) => (run.href === undefined || isOpen(run.href) ? run : { ...run, href: undefined }))
  return text.map((block) => {
    if ('runs' in block) return { ...block, runs: line(block.runs) }
    return 'items' in block ? { ...block, items: block.items.map(line) } : block
  })
}

export function inOne(runs: Run[]) {
  return runs.map(({ text }) => text).join('')
}

/** Returns a safe link to another site or to a page of this site; null for any other URL. */
export function linkIn(address: string) {
  const link = address.length > MAX_HREF ? null : safeLink(cleanUrl(address))
  // A fragment of the page that the text was copied from does not exist here.
  return link && !link.href.startsWith('#') ? link : null
}

/** Normalizes a text: drops empty parts and bold in headings, and joins runs of the same format. */
export function tidied(text: Text): Text {
  return text.flatMap((block): Text => {
    if (block.kind === 'picture') return [{ ...block, alt: cleanLine(block.alt) }]
    if ('items' in block) {
      const items = block.items.map(lineOf).filter((item) => item.length > 0)
      return items.length > 0 ? [{ kind: block.kind, items }] : []
    }
    const isParagraph = block.kind === 'paragraph'
    const runs = lineOf(
      isParagraph
        ? block.runs
        : block.runs.map(({ text, href }) => ({
            text: withoutUnseen(text).replaceAll('\n', ' '),
            ...(href && { href }),
          })),
    )
    return runs.length > 0 ? [{ kind: block.kind, runs }] : []
  })
}

function lineOf(runs: Run[]) {
  const line: Run[] = []
  for (const { text, bold, href } of runs) {
    const before = line.at(-1)
    const ends = before?.text ?? '\n'
    let words = withoutUnseen(text)
      .replace(/ {2,}/g, ' ')
      .replace(/ *\n */g, '\n')
      .replace(/\n{3,}/g, '\n\n')
    if (ends.endsWith(' ') || ends.endsWith('\n')) words = words.replace(/^ +/, '')
    if (words === '') continue
    if (before && before.bold === bold && before.href === href) before.text += words
    else line.push({ text: words, ...(bold && { bold }), ...(href && { href }) })
  }
  if (isBlank(inOne(line))) return []
  for (let first = line[0]; first; first = line[0]) {
    first.text = first.text.replace(/^[ \n]+/, '')
    if (first.text) break
    line.shift()
  }
  for (let last = line.at(-1); last; last = line.at(-1)) {
    last.text = last.text.trimEnd()
    if (last.text) break
    line.pop()
  }
  return line
}
