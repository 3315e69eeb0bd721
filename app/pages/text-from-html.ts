import { imageSources } from '../media/image.ts'
import { linkIn, MAX_ROWS, type RowKind, type Run, type Text, tidied } from './text.ts'

/** Kinds of content that a paste drops or simplifies. */
export type Loss = 'picture' | 'figure' | 'table' | 'footnote' | 'deletion' | 'comment'

export type Found = { text: Text; losses: Loss[]; tooMuch?: undefined } | { text?: undefined; tooMuch: true }

// UTF-16 units of about 300 paragraphs with all their styles, and some photographs as data URLs.
const MAX_UNITS = 40_000_000

/**
 * Converts HTML from a word processor, a web page or the editor. Parses the HTML in an inert document, without scripts
 * and requests. Preserves text, headings, lists, bold, links and images of this site; other elements become their text.
 */
export function textInHtml(html: string): Found {
  if (html.length > MAX_UNITS) return { tooMuch: true }
  return textUnder(new DOMParser().parseFromString(withoutWorks(html), 'text/html').body, MAX_ROWS)
}

// The inert document ignores styles and event handlers, but browsers would report each as a violation of the content
// security policy.
function withoutWorks(html: string) {
  return html.replace(/<style\b[\s\S]*?<\/style\s*>|<[a-z][^>]*>/gi, (tag) =>
    /^<(?:base|style)\b/i.test(tag) ? '' : tag.replace(/(?<=[\s"'/])(?=(?:style|on[a-z]+)\s*=)/gi, 'data-'),
  )
}

const STYLE = 'data-style'

/** Converts an element, which stays unchanged. Returns `tooMuch` if the text has more than `mostRows` rows. */
export function textUnder(root: Element, mostRows: number): Found {
  const reading = new Reading(root.querySelector('h1') !== null, mostRows)
  reading.under(root, {})
  reading.endLine()
  if (reading.isFull) return { tooMuch: true }
  return { text: tidied(reading.text.map(withoutSourceBreaks)), losses: [...reading.losses] }
}

const WORDLESS = /^(?:script|style|template|noscript|head|meta|link|title|base|input|select|xml|rp)$/
const FIGURE = /^(?:iframe|frame|frameset|object|embed|applet|svg|math|audio|video|canvas)$/
const BLOCK =
  /^(?:p|div|section|article|header|footer|main|nav|aside|blockquote|address|dl|dt|dd|figure|figcaption|pre|hr|center|details|summary|fieldset|form|table|tbody|thead|tfoot|tr|caption|body)$/
const HIDDEN = /display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all/i
const COMMENT = /mso-element\s*:\s*comment/i
// Word writes the marker of a list item as text, with this style.
const DRAWN_MARK = /mso-list\s*:\s*ignore/i
const WORDS_ITEM = /mso-list\s*:\s*(?!ignore|none)/i
// In symbol fonts, bullets are encoded as letters.
const BULLET = /^[^\p{N}\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]?$/u
const FOOTNOTE_LINK = /^#.*(?:fn|ftn|edn|note|cite)/i
const FOOTNOTE_MARK = /^\W?\w{1,4}\W?$/
const EMOJI = /^[\p{RI}\p{Extended_Pictographic}][\p{Extended_Pictographic}\p{Emoji_Component}]*$/u
const BOLD = /font-weight\s*:\s*(?:bold|[6-9]00)/i
const NOT_BOLD = /font-weight\s*:\s*(?:normal|lighter|[1-5]00)/i

type Line = { kind: RowKind; mark?: string; level?: number }
type List = { kind: 'list' | 'numbered list'; level: number; nextNumber: number }
type Around = {
  bold?: boolean
  href?: string | undefined
  list?: List
  /** Replaces line breaks in an element that becomes a single line. */
  joint?: string
  pre?: boolean
}

const MAX_INDENT = 9

// Placeholder for a line break of the HTML source. The adjacent characters decide between a space and nothing.
const SOURCE_BREAK = '\r'

class Reading {
  readonly text: Text = []
  readonly losses = new Set<Loss>()
  isFull = false
  private rows = 0
  private runs: Run[] = []
  private line: Line = { kind: 'paragraph' }
  /** Level of the last list. Lines of a deeper level are appended to the last item of the list. */
  private level = 1
  private readonly hasH1: boolean
  private readonly mostRows: number

  constructor(hasH1: boolean, mostRows: number) {
    this.hasH1 = hasH1
    this.mostRows = mostRows
  }

  under(element: Element, around: Around) {
    for (let node = element.firstChild; node && !this.isFull; node = node.nextSibling) {
      if (node.nodeType === 3) this.addWords(node.nodeValue ?? '', around)
      else if (node.nodeType === 1) this.take(node as Element, around)
    }
  }

  endLine(next: Line = { kind: 'paragraph' }) {
    const { line } = this
    const runs = withoutOuterSpace(this.runs)
    this.line = next
    this.runs = []
    if (!runs.some(({ text }) => /\S/.test(text))) return

    this.rows += 1
    this.isFull = this.rows > this.mostRows
    if (line.kind === 'list' || line.kind === 'numbered list') this.addItem(line.kind, line, runs)
    else if (line.kind === 'paragraph') {
      this.text.push(...paragraphsIn(runs).map((part) => ({ kind: 'paragraph' as const, runs: part })))
    } else this.text.push({ kind: line.kind, runs })
  }

  // A text has no nested lists, and its numbered lists begin with 1. Other markers become text.
  private addItem(kind: List['kind'], { mark = '', level = 1 }: Line, runs: Run[]) {
    const last = this.text.at(-1)
    const list = last && 'items' in last ? last : null
    const marked = [{ text: mark.replace(/[^・、．）]$/, '$& ') }, ...runs]
    if (list && level > this.level) {
      list.items.at(-1)?.push({ text: `\n${'　'.repeat(Math.min(level - this.level, MAX_INDENT) - 1)}` }, ...marked)
      return
    }
    const number = numberIn(mark)
    if (list?.kind === kind && (kind === 'list' || number === list.items.length + 1)) list.items.push(runs)
    else if (kind === 'list' || number === 1) this.text.push({ kind, items: [runs] })
    else this.text.push({ kind: 'paragraph', runs: marked })
    this.level = level
  }

  private take(element: Element, around: Around) {
    const name = element.localName
    const style = element.getAttribute(STYLE) ?? ''
    const isIcon = name === 'svg' && element.getAttribute('aria-hidden') === 'true'
    if (isIcon || WORDLESS.test(name) || element.hasAttribute('hidden') || HIDDEN.test(style)) return
    if (DRAWN_MARK.test(style) && (around.list || BULLET.test(wordsIn(element)))) return
    const loss = lossOf(element, name, style)
    if (loss) this.losses.add(loss)
    if (loss && loss !== 'table' && loss !== 'footnote') return
    if (name === 'rt') this.takeBetween('（', element, '）', around)
    else if (loss === 'footnote' && /^\w+$/.test(wordsIn(element))) this.takeBetween('[', element, ']', around)
    else if (name === 'br') this.add(around.joint ?? '\n', around)
    else if (name === 'img') this.addPicture(element, around)
    else if (name === 'ul' || name === 'ol') this.takeList(element, name === 'ul' ? 'list' : 'numbered list', around)
    else if (name === 'li') this.takeItem(element, around)
    else if (/^h[1-6]$/.test(name)) this.takeHeading(element, Number(name[1]), around)
    else if (name === 'tr' && isOfData(element)) this.takeRow(element, around)
    else if (BLOCK.test(name) || name === 'td' || name === 'th') this.takeBlock(element, name, style, around)
    else this.under(element, this.within(element, name, style, around))
  }

  private takeBlock(element: Element, name: string, style: string, around: Around) {
    if (around.joint !== undefined) {
      if (this.runs.at(-1)?.text.trim()) this.add(around.joint, around)
      return this.under(element, around)
    }
    const pre = around.pre || name === 'pre'
    if (name === 'p' && WORDS_ITEM.test(style)) return this.takeWordsItem(element, style, around)
    if (name === 'p' && /(?:^|\s)(?:Mso)?Title(?:\s|$)/i.test(element.className)) {
      return this.takeLine(element, { kind: 'heading' }, { ...around, joint: ' ' })
    }
    this.endLine()
    this.under(element, pre ? { ...around, pre } : around)
    this.endLine()
  }

  private takeHeading(element: Element, level: number, around: Around) {
    if (around.joint !== undefined) return this.takeBlock(element, 'div', '', around)
    const isHighest = level <= (this.hasH1 ? 1 : 2)
    this.takeLine(element, { kind: isHighest ? 'heading' : 'subheading' }, { ...around, joint: ' ' })
  }

  private takeList(element: Element, kind: List['kind'], around: Around) {
    const { joint, list: outer, ...rest } = around
    if (joint !== undefined && !outer) return this.takeBlock(element, 'div', '', around)
    this.endLine()
    const level = (outer?.level ?? 0) + 1
    const nextNumber = wholeNumber(element.getAttribute('start')) ?? 1
    this.under(element, { ...rest, list: { kind, level, nextNumber } })
    this.endLine(outer && { kind: outer.kind, level })
  }

  private takeItem(element: Element, around: Around) {
    const list: List = around.list ?? { kind: 'list', level: 1, nextNumber: 1 }
    const number = wholeNumber(element.getAttribute('value')) ?? list.nextNumber
    list.nextNumber = number + 1
    // Word on the web and Google Docs create a separate list for each level.
    const stated = element.getAttribute('aria-level') ?? element.getAttribute('data-aria-level')
    const level = wholeNumber(stated) ?? list.level
    const mark = list.kind === 'list' ? '・' : level > 1 ? `(${number})` : `${number}.`
    this.takeLine(element, { kind: list.kind, mark, level }, { ...around, list: { ...list, level }, joint: '\n' })
  }

  private takeWordsItem(paragraph: Element, style: string, around: Around) {
    const drawn = [...paragraph.querySelectorAll(`[${STYLE}]`)].find((each) =>
      DRAWN_MARK.test(each.getAttribute(STYLE) ?? ''),
    )
    const isBullet = !drawn || BULLET.test(wordsIn(drawn))
    const level = Number(/level(\d+)/i.exec(style)?.[1] ?? 1)
    const kind = isBullet ? 'list' : 'numbered list'
    const line: Line = { kind, mark: isBullet ? '・' : wordsIn(drawn), level }
    this.takeLine(paragraph, line, { ...around, list: { kind, level, nextNumber: 1 }, joint: '\n' })
  }

  private takeLine(element: Element, line: Line, around: Around) {
    this.endLine(line)
    this.under(element, around)
    this.endLine()
  }

  private takeBetween(open: string, element: Element, close: string, around: Around) {
    this.add(open, around)
    this.under(element, around)
    this.add(close, around)
  }

  private takeRow(row: Element, around: Around) {
    this.endLine()
    for (const cell of row.children) {
      if (this.runs.length > 0) this.add('　', around)
      this.under(cell, { ...around, joint: ' ' })
    }
    this.endLine()
  }

  private within(element: Element, name: string, style: string, around: Around): Around {
    const inside = { ...around }
    if (name === 'b' || name === 'strong' || BOLD.test(style)) inside.bold = true
    if (NOT_BOLD.test(style)) inside.bold = false
    if (name === 'a') inside.href = linkIn(element.getAttribute('href') ?? '')?.href
    return inside
  }

  private addWords(words: string, around: Around) {
    this.add(around.pre ? words : words.replace(/[ \t]*[\r\n][ \t\r\n]*/g, SOURCE_BREAK), around)
  }

  private add(text: string, { bold, href }: Around) {
    this.runs.push({ text, ...(bold && { bold }), ...(href && { href }) })
  }

  private addPicture(image: Element, around: Around) {
    const address = image.getAttribute('src') ?? ''
    const here = globalThis.location?.origin
    const url = here && address.startsWith(`${here}/`) ? address.slice(here.length) : address
    const alt = image.getAttribute('alt') ?? ''
    if (!imageSources(url)) {
      if (EMOJI.test(alt)) this.add(alt, around)
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
function paragraphsIn(runs: Run[]) {
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
  if (name === 'tr') return [...element.children].filter(wordsIn).length > 1 ? 'table' : null
  const isLink = name === 'a' && FOOTNOTE_LINK.test(element.getAttribute('href') ?? '')
  return isLink && FOOTNOTE_MARK.test(wordsIn(element)) ? 'footnote' : null
}

function wordsIn(element: Element) {
  return element.textContent?.trim() ?? ''
}

function wholeNumber(attribute: string | null) {
  return /^\d{1,9}$/.test(attribute ?? '') ? Number(attribute) : null
}

function numberIn(mark: string) {
  return Number(/^[^\p{L}\p{N}]*(\d+)[^\p{L}\p{N}]*$/u.exec(mark.normalize('NFKC'))?.[1] ?? Number.NaN)
}

// A full-width space is an indentation and is preserved.
function withoutOuterSpace(runs: Run[]) {
  const isWord = ({ text }: Run) => /[^ \t\r\n\u00a0]/.test(text)
  const [first, last] = [runs.findIndex(isWord), runs.findLastIndex(isWord)]
  return runs.slice(Math.max(first, 0), last + 1).map((run, at, { length }) => {
    const text = at === 0 ? run.text.replace(/^[ \t\r\n\u00a0]+/, '') : run.text
    return { ...run, text: at === length - 1 ? text.replace(/[ \t\r\n\u00a0]+$/, '') : text }
  })
}

// A table with several paragraphs in a cell is used for layout, so its rows do not become lines.
function isOfData(row: Element) {
  return [...row.children].every((cell) => cell.querySelectorAll('p, div, li, table').length <= 1)
}

const WIDE = /[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff01-\uffef]/

function withoutSourceBreaks(block: Text[number]): Text[number] {
  if ('runs' in block) return { ...block, runs: joined(block.runs) }
  return 'items' in block ? { ...block, items: block.items.map(joined) } : block
}

// Browsers ignore a line break of the source between two Japanese characters.
function joined(runs: Run[]) {
  return runs.map((run, at) => ({
    ...run,
    text: run.text.replace(/ *\r[ \r]*/g, (found, index: number) => {
      const before = run.text[index - 1] ?? runs[at - 1]?.text.at(-1) ?? ''
      const after = run.text[index + found.length] ?? runs[at + 1]?.text[0] ?? ''
      return WIDE.test(before) && WIDE.test(after) ? '' : ' '
    }),
  }))
}
