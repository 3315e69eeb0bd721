import { pictureSources } from '../media/image.ts'
import { linkIn, MOST_ROWS, type Run, type Text, tidied } from './text.ts'

/** Of what was pasted: its text, and how many pictures stay where they are; or that it is too much to be looked at. */
export type Found = { text: Text; picturesLeft: number; tooMuch?: undefined } | { text?: undefined; tooMuch: true }

// What 300 paragraphs weigh with all their styles and some photographs written out.
const MOST_UNITS = 40_000_000

/**
 * The text in HTML from anywhere: a word processor, a page of the web, the site's own field. It is taken apart in a
 * document that shows nothing, runs nothing and asks for nothing; only words, headings, lists, bold, links and the site's
 * own pictures come out.
 */
export function textInHtml(html: string): Found {
  if (html.length > MOST_UNITS) return { tooMuch: true }
  return textUnder(new DOMParser().parseFromString(withoutWorks(html), 'text/html').body, MOST_ROWS)
}

// Nothing of it works in a document that shows nothing, but the policy would report each time that it was there.
function withoutWorks(html: string) {
  return html.replace(/<style\b[\s\S]*?<\/style\s*>|<[a-z][^>]*>/gi, (tag) =>
    /^<(?:base|style)\b/i.test(tag) ? '' : tag.replace(/(?<=[\s"'/])(?=(?:style|on[a-z]+)\s*=)/gi, 'data-'),
  )
}

const STYLE = 'data-style'

/** The text in an element, which is left as it is; of more rows than `mostRows` nothing. */
export function textUnder(root: Element, mostRows: number): Found {
  const reading = new Reading(root.querySelector('h1') !== null, mostRows)
  reading.under(root, {})
  reading.endLine()
  if (reading.isFull) return { tooMuch: true }
  return { text: tidied(reading.text.map(withoutSourceBreaks)), picturesLeft: reading.picturesLeft }
}

const DROPPED =
  /^(?:script|style|template|iframe|frame|frameset|object|embed|applet|svg|math|noscript|head|meta|link|title|base|input|button|select|textarea|audio|video|canvas|xml|del|rp|rt)$|^[vw]:/
const BLOCK =
  /^(?:p|div|section|article|header|footer|main|nav|aside|blockquote|address|dl|dt|dd|figure|figcaption|pre|hr|center|details|summary|fieldset|form|table|tbody|thead|tfoot|tr|caption|body)$/
const HIDDEN = /display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all/i
// Word draws the mark of an item itself, and says so.
const DRAWN_MARK = /mso-list\s*:\s*ignore/i
const WORDS_ITEM = /mso-list\s*:\s*(?!ignore|none)/i
const NUMBER = /^[(（]?(?:[0-9０-９]+|[a-z]{1,4}|[一二三四五六七八九十]+|[ア-ン])[.)．）、]|^[①-⑳]/i
const BOLD = /font-weight\s*:\s*(?:bold|[6-9]00)/i
const NOT_BOLD = /font-weight\s*:\s*(?:normal|lighter|[1-5]00)/i

type Kind = 'heading' | 'subheading' | 'paragraph' | 'list' | 'numbered list'
type Around = {
  bold?: boolean
  href?: string | undefined
  list?: 'list' | 'numbered list'
  /** Where a line may not end: what stands between its parts instead. */
  joint?: string
  pre?: boolean
}

// A line break of the source, which is a space or nothing, until it is known what stands around it.
const SOURCE_BREAK = '\r'

class Reading {
  readonly text: Text = []
  picturesLeft = 0
  isFull = false
  private rows = 0
  private runs: Run[] = []
  private kind: Kind = 'paragraph'
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

  endLine(next: Kind = 'paragraph') {
    const { kind, runs } = this
    this.kind = next
    this.runs = []
    if (!runs.some(({ text }) => /\S/.test(text))) return

    this.rows += 1
    this.isFull = this.rows > this.mostRows
    const last = this.text.at(-1)
    if (kind !== 'list' && kind !== 'numbered list') {
      const parts = kind === 'paragraph' ? paragraphsIn(runs) : [runs]
      this.text.push(...parts.map((part) => ({ kind, runs: part })))
    } else if (last?.kind === kind) {
      last.items.push(runs)
    } else {
      this.text.push({ kind, items: [runs] })
    }
  }

  private take(element: Element, around: Around) {
    const name = element.localName
    const style = element.getAttribute(STYLE) ?? ''
    if (DROPPED.test(name) || element.hasAttribute('hidden') || HIDDEN.test(style) || DRAWN_MARK.test(style)) return
    if (name === 'br') this.add(around.joint ?? '\n', around)
    else if (name === 'img') this.addPicture(element)
    else if (name === 'ul' || name === 'ol') this.takeList(element, name === 'ul' ? 'list' : 'numbered list', around)
    else if (name === 'li') this.takeLine(element, around.list ?? 'list', around)
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
    if (name === 'p' && WORDS_ITEM.test(style)) return this.takeLine(element, kindOfWordsItem(element), around)
    if (name === 'p' && /(?:^|\s)(?:Mso)?Title(?:\s|$)/i.test(element.className)) {
      return this.takeLine(element, 'heading', { ...around, joint: ' ' })
    }
    this.endLine()
    this.under(element, pre ? { ...around, pre } : around)
    this.endLine()
  }

  private takeHeading(element: Element, level: number, around: Around) {
    if (around.joint !== undefined) return this.takeBlock(element, 'div', '', around)
    const isHighest = level <= (this.hasH1 ? 1 : 2)
    this.takeLine(element, isHighest ? 'heading' : 'subheading', { ...around, joint: ' ' })
  }

  private takeList(element: Element, list: 'list' | 'numbered list', around: Around) {
    if (around.joint !== undefined && around.list === undefined) return this.takeBlock(element, 'div', '', around)
    this.endLine()
    const { joint: _, ...rest } = around
    this.under(element, { ...rest, list })
    this.endLine()
  }

  private takeLine(element: Element, kind: Kind, around: Around) {
    this.endLine(kind)
    this.under(element, kind === 'list' || kind === 'numbered list' ? { ...around, list: kind, joint: '\n' } : around)
    this.endLine()
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

  private addPicture(image: Element) {
    const address = image.getAttribute('src') ?? ''
    const here = globalThis.location?.origin
    const url = here && address.startsWith(`${here}/`) ? address.slice(here.length) : address
    if (!pictureSources(url)) {
      this.picturesLeft += 1
      return
    }
    const { kind } = this
    this.endLine(kind)
    this.rows += 1
    this.text.push({ kind: 'picture', url, alt: image.getAttribute('alt') ?? '' })
  }
}

// Pages part their paragraphs with two line breaks too.
function paragraphsIn(runs: Run[]) {
  const paragraphs: Run[][] = [[]]
  for (const [index, run] of runs.entries()) {
    if (run.text === '\n' && runs[index - 1]?.text === '\n') paragraphs.push([])
    else paragraphs.at(-1)?.push(run)
  }
  return paragraphs
}

function kindOfWordsItem(paragraph: Element) {
  const mark = [...paragraph.querySelectorAll(`[${STYLE}]`)].find((each) =>
    DRAWN_MARK.test(each.getAttribute(STYLE) ?? ''),
  )
  return NUMBER.test(mark?.textContent?.trim() ?? '') ? 'numbered list' : 'list'
}

// A table that only puts paragraphs side by side is none to read by rows.
function isOfData(row: Element) {
  return [...row.children].every((cell) => cell.querySelectorAll('p, div, li, table').length <= 1)
}

const WIDE = /[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff01-\uffef]/

function withoutSourceBreaks(block: Text[number]): Text[number] {
  if ('runs' in block) return { ...block, runs: joined(block.runs) }
  return 'items' in block ? { ...block, items: block.items.map(joined) } : block
}

// Between two Japanese characters a line break of the source is nothing, as browsers draw it.
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
