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

export const blockTags = { heading: 'h2', subheading: 'h3', paragraph: 'p', list: 'ul', 'numbered list': 'ol' } as const

export const MAX_ROWS = 600
export const MAX_CHARACTERS = 40_000
export const MAX_ALT = 200
const MAX_HREF = 2000
export const ALT_TOO_LONG = `写真の説明は${MAX_ALT}文字までです`

/** Returns an error message if the text has too many rows or characters, else null. */
export function lengthErrorOf(text: Text) {
  if (countRows(text) > MAX_ROWS) return `文章は、段落と箇条書きの行を合わせて${MAX_ROWS}までです`
  if (!fitsIn(plainParts(text).join(''), MAX_CHARACTERS)) return `文章は${MAX_CHARACTERS}文字までです`
  return null
}

export function countRows(text: Text) {
  return text.reduce((rows, block) => rows + ('items' in block ? block.items.length : 1), 0)
}

export function textBeginning(text: Text, maxLength = 110) {
  const paragraphs = text.filter(({ kind }) => kind === 'paragraph')
  const joined = plainParts(paragraphs.length > 0 ? paragraphs : text)
    .join(' ')
    .replace(/\s+/g, ' ')
  return fitsIn(joined, maxLength) ? joined : `${truncate(joined, maxLength - 1)}…`
}

function plainParts(text: Text) {
  return text.flatMap((block) => {
    if ('runs' in block) return [joinRuns(block.runs)]
    return 'items' in block ? block.items.map(joinRuns) : [block.alt]
  })
}

export function removeClosedLinks(text: Text, isOpen: (href: string) => boolean): Text {
  const filterLinks = (runs: Run[]) =>
    runs.map((run) => (run.href === undefined || isOpen(run.href) ? run : { ...run, href: undefined }))
  return text.map((block) => mapLines(block, filterLinks))
}

/** Changes the lines of a paragraph, heading or list. Returns an image unchanged. */
export function mapLines(block: Block, change: (runs: Run[]) => Run[]): Block {
  if ('runs' in block) return { ...block, runs: change(block.runs) }
  return 'items' in block ? { ...block, items: block.items.map(change) } : block
}

export function joinRuns(runs: Run[]) {
  return runs.map(({ text }) => text).join('')
}

/** Returns a safe link to another site or to a page of this site; null for any other URL. */
export function parseLink(url: string) {
  const link = url.length > MAX_HREF ? null : safeLink(cleanUrl(url))
  // A pasted fragment such as #top refers to the page from which the text was copied.
  return link && !link.href.startsWith('#') ? link : null
}

/** Normalizes a text: drops empty parts and bold in headings, and joins runs of the same format. */
export function normalizeText(text: Text): Text {
  return text.flatMap((block): Text => {
    if (block.kind === 'picture') return [{ ...block, alt: cleanLine(block.alt) }]
    if ('items' in block) {
      const items = block.items.map(normalizeRuns).filter((item) => item.length > 0)
      return items.length > 0 ? [{ kind: block.kind, items }] : []
    }
    const isParagraph = block.kind === 'paragraph'
    const runs = normalizeRuns(
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

function normalizeRuns(runs: Run[]) {
  const line: Run[] = []
  for (const { text, bold, href } of runs) {
    const previous = line.at(-1)
    const previousText = previous?.text ?? '\n'
    let cleaned = withoutUnseen(text)
      .replace(/ {2,}/g, ' ')
      .replace(/ *\n */g, '\n')
      .replace(/\n{3,}/g, '\n\n')
    if (previousText.endsWith(' ') || previousText.endsWith('\n')) cleaned = cleaned.replace(/^ +/, '')
    if (cleaned === '') continue
    if (previous && previous.bold === bold && previous.href === href) previous.text += cleaned
    else line.push({ text: cleaned, ...(bold && { bold }), ...(href && { href }) })
  }
  if (isBlank(joinRuns(line))) return []
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
