import { imageSources } from '../media/image.ts'
import { MAX_ROWS, mapLines, normalizeText, parseLink, type RowKind, type Run, type Text } from './text.ts'

export type Loss = 'picture' | 'figure' | 'table' | 'footnote' | 'deletion' | 'comment'

export type ParsedText = { text: Text; losses: Loss[]; tooMuch?: undefined } | { text?: undefined; tooMuch: true }

// Length in UTF-16 units. Suffices for about 300 styled paragraphs and some photographs as data URLs.
const MAX_HTML_LENGTH = 40_000_000

/** Parses HTML in an inert document without scripts and requests. Replaces unknown elements with their text. */
export function parseHtml(html: string): ParsedText {
  if (html.length > MAX_HTML_LENGTH) return { tooMuch: true }
  return parseElement(new DOMParser().parseFromString(disableStylesAndHandlers(html), 'text/html').body, MAX_ROWS)
}

// Even in an inert document, browsers report styles and handlers as violations of the content security policy.
function disableStylesAndHandlers(html: string) {
  return html.replace(/<style\b[\s\S]*?<\/style\s*>|<[a-z][^>]*>/gi, (tag) =>
    /^<(?:base|style)\b/i.test(tag) ? '' : tag.replace(/(?<=[\s"'/])(?=(?:style|on[a-z]+)\s*=)/gi, 'data-'),
  )
}

const STYLE_ATTRIBUTE = 'data-style'

/** Converts an element to a text. Returns `tooMuch` if the text has more than `maxRows` rows. */
export function parseElement(root: Element, maxRows: number): ParsedText {
  const reader = new HtmlReader(root.querySelector('h1') !== null, maxRows)
  reader.readChildren(root, {})
  reader.endLine()
  if (reader.isFull) return { tooMuch: true }
  return { text: normalizeText(reader.text.map((block) => mapLines(block, resolveBreaks))), losses: [...reader.losses] }
}

const WITHOUT_TEXT = /^(?:script|style|template|noscript|head|meta|link|title|base|input|select|xml|rp)$/
const FIGURE = /^(?:iframe|frame|frameset|object|embed|applet|svg|math|audio|video|canvas)$/
const BLOCK =
  /^(?:p|div|section|article|header|footer|main|nav|aside|blockquote|address|dl|dt|dd|figure|figcaption|pre|hr|center|details|summary|fieldset|form|table|tbody|thead|tfoot|tr|caption|body)$/
const HIDDEN = /display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all/i
const COMMENT = /mso-element\s*:\s*comment/i
// Word writes the marker of a list item as text with this style.
const WORD_MARKER = /mso-list\s*:\s*ignore/i
const WORD_LIST_ITEM = /mso-list\s*:\s*(?!ignore|none)/i
// Symbol fonts encode bullets as letters, so a letter may be a bullet.
const BULLET = /^[^\p{N}\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]?$/u
const FOOTNOTE_LINK = /^#.*(?:fn|ftn|edn|note|cite)/i
const FOOTNOTE_MARKER = /^\W?\w{1,4}\W?$/
const EMOJI = /^[\p{RI}\p{Extended_Pictographic}][\p{Extended_Pictographic}\p{Emoji_Component}]*$/u
const BOLD = /font-weight\s*:\s*(?:bold|[6-9]00)/i
const NOT_BOLD = /font-weight\s*:\s*(?:normal|lighter|[1-5]00)/i

type Line = { kind: RowKind; marker?: string; level?: number }
type List = { kind: 'list' | 'numbered list'; level: number; nextNumber: number }
type Context = {
  bold?: boolean
  href?: string | undefined
  list?: List
  lineBreak?: string
  pre?: boolean
}

const MAX_INDENT = 9

// A line break of the HTML source. The adjacent characters decide whether the break becomes a space.
const SOURCE_BREAK = '\r'

class HtmlReader {
  readonly text: Text = []
  readonly losses = new Set<Loss>()
  isFull = false
  private rows = 0
  private runs: Run[] = []
  private line: Line = { kind: 'paragraph' }
  /** Level of the last list. Lines of a deeper level are appended to the last item of the list. */
  private level = 1
  private readonly hasH1: boolean
  private readonly maxRows: number

  constructor(hasH1: boolean, maxRows: number) {
    this.hasH1 = hasH1
    this.maxRows = maxRows
  }

  readChildren(element: Element, context: Context) {
    for (let node = element.firstChild; node && !this.isFull; node = node.nextSibling) {
      if (node.nodeType === 3) this.addText(node.nodeValue ?? '', context)
      else if (node.nodeType === 1) this.readElement(node as Element, context)
    }
  }

  endLine(next: Line = { kind: 'paragraph' }) {
    const { line } = this
    const runs = trimRuns(this.runs)
    this.line = next
    this.runs = []
    if (!runs.some(({ text }) => /\S/.test(text))) return

    this.rows += 1
    this.isFull = this.rows > this.maxRows
    if (line.kind === 'list' || line.kind === 'numbered list') this.addItem(line.kind, line, runs)
    else if (line.kind === 'paragraph') {
      this.text.push(...splitParagraphs(runs).map((part) => ({ kind: 'paragraph' as const, runs: part })))
    } else this.text.push({ kind: line.kind, runs })
  }

  // A text has no nested lists, and its numbered lists begin with 1. The markers of other lists become text.
  private addItem(kind: List['kind'], { marker = '', level = 1 }: Line, runs: Run[]) {
    const last = this.text.at(-1)
    const list = last && 'items' in last ? last : null
    const marked = [{ text: marker.replace(/[^・、．）]$/, '$& ') }, ...runs]
    if (list && level > this.level) {
      list.items.at(-1)?.push({ text: `\n${'　'.repeat(Math.min(level - this.level, MAX_INDENT) - 1)}` }, ...marked)
      return
    }
    const number = parseMarkerNumber(marker)
    if (list?.kind === kind && (kind === 'list' || number === list.items.length + 1)) list.items.push(runs)
    else if (kind === 'list' || number === 1) this.text.push({ kind, items: [runs] })
    else this.text.push({ kind: 'paragraph', runs: marked })
    this.level = level
  }

  private readElement(element: Element, context: Context) {
    const name = element.localName
    const style = element.getAttribute(STYLE_ATTRIBUTE) ?? ''
    const isIcon = name === 'svg' && element.getAttribute('aria-hidden') === 'true'
    if (isIcon || WITHOUT_TEXT.test(name) || element.hasAttribute('hidden') || HIDDEN.test(style)) return
    if (WORD_MARKER.test(style) && (context.list || BULLET.test(textOf(element)))) return
    const loss = lossOf(element, name, style)
    if (loss) this.losses.add(loss)
    if (loss && loss !== 'table' && loss !== 'footnote') return
    if (name === 'rt') this.readBetween('（', element, '）', context)
    else if (loss === 'footnote' && /^\w+$/.test(textOf(element))) this.readBetween('[', element, ']', context)
    else if (name === 'br') this.addRun(context.lineBreak ?? '\n', context)
    else if (name === 'img') this.addImage(element, context)
    else if (name === 'ul' || name === 'ol') this.readList(element, name === 'ul' ? 'list' : 'numbered list', context)
    else if (name === 'li') this.readItem(element, context)
    else if (/^h[1-6]$/.test(name)) this.readHeading(element, Number(name[1]), context)
    else if (name === 'tr' && isDataRow(element)) this.readRow(element, context)
    else if (BLOCK.test(name) || name === 'td' || name === 'th') this.readBlock(element, name, style, context)
    else this.readChildren(element, this.formatContext(element, name, style, context))
  }

  private readBlock(element: Element, name: string, style: string, context: Context) {
    if (context.lineBreak !== undefined) {
      if (this.runs.at(-1)?.text.trim()) this.addRun(context.lineBreak, context)
      return this.readChildren(element, context)
    }
    const pre = context.pre || name === 'pre'
    if (name === 'p' && WORD_LIST_ITEM.test(style)) return this.readWordListItem(element, style, context)
    if (name === 'p' && /(?:^|\s)(?:Mso)?Title(?:\s|$)/i.test(element.className)) {
      return this.readLine(element, { kind: 'heading' }, { ...context, lineBreak: ' ' })
    }
    this.endLine()
    this.readChildren(element, pre ? { ...context, pre } : context)
    this.endLine()
  }

  private readHeading(element: Element, level: number, context: Context) {
    if (context.lineBreak !== undefined) return this.readBlock(element, 'div', '', context)
    const isHighest = level <= (this.hasH1 ? 1 : 2)
    this.readLine(element, { kind: isHighest ? 'heading' : 'subheading' }, { ...context, lineBreak: ' ' })
  }

  private readList(element: Element, kind: List['kind'], context: Context) {
    const { lineBreak, list: outer, ...rest } = context
    if (lineBreak !== undefined && !outer) return this.readBlock(element, 'div', '', context)
    this.endLine()
    const level = (outer?.level ?? 0) + 1
    const nextNumber = parseInteger(element.getAttribute('start')) ?? 1
    this.readChildren(element, { ...rest, list: { kind, level, nextNumber } })
    this.endLine(outer && { kind: outer.kind, level })
  }

  private readItem(element: Element, context: Context) {
    const list: List = context.list ?? { kind: 'list', level: 1, nextNumber: 1 }
    const number = parseInteger(element.getAttribute('value')) ?? list.nextNumber
    list.nextNumber = number + 1
    // Word on the web and Google Docs create a separate list for each level.
    const ariaLevel = element.getAttribute('aria-level') ?? element.getAttribute('data-aria-level')
    const level = parseInteger(ariaLevel) ?? list.level
    const marker = list.kind === 'list' ? '・' : level > 1 ? `(${number})` : `${number}.`
    this.readLine(
      element,
      { kind: list.kind, marker, level },
      { ...context, list: { ...list, level }, lineBreak: '\n' },
    )
  }

  private readWordListItem(paragraph: Element, style: string, context: Context) {
    const marker = [...paragraph.querySelectorAll(`[${STYLE_ATTRIBUTE}]`)].find((each) =>
      WORD_MARKER.test(each.getAttribute(STYLE_ATTRIBUTE) ?? ''),
    )
    const isBullet = !marker || BULLET.test(textOf(marker))
    const level = Number(/level(\d+)/i.exec(style)?.[1] ?? 1)
    const kind = isBullet ? 'list' : 'numbered list'
    const line: Line = { kind, marker: isBullet ? '・' : textOf(marker), level }
    this.readLine(paragraph, line, { ...context, list: { kind, level, nextNumber: 1 }, lineBreak: '\n' })
  }

  private readLine(element: Element, line: Line, context: Context) {
    this.endLine(line)
    this.readChildren(element, context)
    this.endLine()
  }

  private readBetween(open: string, element: Element, close: string, context: Context) {
    this.addRun(open, context)
    this.readChildren(element, context)
    this.addRun(close, context)
  }

  private readRow(row: Element, context: Context) {
    this.endLine()
    for (const cell of row.children) {
      if (this.runs.length > 0) this.addRun('　', context)
      this.readChildren(cell, { ...context, lineBreak: ' ' })
    }
    this.endLine()
  }

  private formatContext(element: Element, name: string, style: string, context: Context): Context {
    const inside = { ...context }
    if (name === 'b' || name === 'strong' || BOLD.test(style)) inside.bold = true
    if (NOT_BOLD.test(style)) inside.bold = false
    if (name === 'a') inside.href = parseLink(element.getAttribute('href') ?? '')?.href
    return inside
  }

  private addText(text: string, context: Context) {
    this.addRun(context.pre ? text : text.replace(/[ \t]*[\r\n][ \t\r\n]*/g, SOURCE_BREAK), context)
  }

  private addRun(text: string, { bold, href }: Context) {
    this.runs.push({ text, ...(bold && { bold }), ...(href && { href }) })
  }

  private addImage(image: Element, context: Context) {
    const src = image.getAttribute('src') ?? ''
    const origin = globalThis.location?.origin
    const url = origin && src.startsWith(`${origin}/`) ? src.slice(origin.length) : src
    const alt = image.getAttribute('alt') ?? ''
    if (!imageSources(url)) {
      if (EMOJI.test(alt)) this.addRun(alt, context)
      else this.losses.add('picture')
      return
    }
    const { kind } = this.line
    this.endLine({ kind: kind === 'list' || kind === 'numbered list' ? 'paragraph' : kind })
    this.rows += 1
    this.text.push({ kind: 'picture', url, alt })
  }
}

// Some web pages separate paragraphs by two line breaks.
function splitParagraphs(runs: Run[]) {
  const paragraphs: Run[][] = [[]]
  for (const [index, run] of runs.entries()) {
    if (run.text === '\n' && runs[index - 1]?.text === '\n') paragraphs.push([])
    else paragraphs.at(-1)?.push(run)
  }
  return paragraphs
}

function lossOf(element: Element, name: string, style: string): Loss | null {
  if (FIGURE.test(name)) return 'figure'
  if (name === 'del') return 'deletion'
  if (COMMENT.test(style) || element.classList.contains('MsoCommentReference')) return 'comment'
  if (name === 'tr') return [...element.children].filter(textOf).length > 1 ? 'table' : null
  const isLink = name === 'a' && FOOTNOTE_LINK.test(element.getAttribute('href') ?? '')
  return isLink && FOOTNOTE_MARKER.test(textOf(element)) ? 'footnote' : null
}

function textOf(element: Element) {
  return element.textContent?.trim() ?? ''
}

function parseInteger(attribute: string | null) {
  return /^\d{1,9}$/.test(attribute ?? '') ? Number(attribute) : null
}

function parseMarkerNumber(marker: string) {
  return Number(/^[^\p{L}\p{N}]*(\d+)[^\p{L}\p{N}]*$/u.exec(marker.normalize('NFKC'))?.[1] ?? Number.NaN)
}

// A full-width space is an indentation and is preserved.
function trimRuns(runs: Run[]) {
  const hasText = ({ text }: Run) => /[^ \t\r\n\u00a0]/.test(text)
  const [first, last] = [runs.findIndex(hasText), runs.findLastIndex(hasText)]
  return runs.slice(Math.max(first, 0), last + 1).map((run, index, { length }) => {
    const text = index === 0 ? run.text.replace(/^[ \t\r\n\u00a0]+/, '') : run.text
    return { ...run, text: index === length - 1 ? text.replace(/[ \t\r\n\u00a0]+$/, '') : text }
  })
}

// A table with several paragraphs in a cell is used for layout, so its rows do not become lines.
function isDataRow(row: Element) {
  return [...row.children].every((cell) => cell.querySelectorAll('p, div, li, table').length <= 1)
}

const WIDE = /[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff01-\uffef]/

// Browsers ignore a line break of the HTML source between two Japanese characters.
function resolveBreaks(runs: Run[]) {
  return runs.map((run, runIndex) => ({
    ...run,
    text: run.text.replace(/ *\r[ \r]*/g, (found, index: number) => {
      const before = run.text[index - 1] ?? runs[runIndex - 1]?.text.at(-1) ?? ''
      const after = run.text[index + found.length] ?? runs[runIndex + 1]?.text[0] ?? ''
      return WIDE.test(before) && WIDE.test(after) ? '' : ' '
    }),
  }))
}
