import { imageSources } from '../media/image.ts'
import { withoutUnseen } from '../ui/typed-text.ts'
import { inOne, type Run, type Text, tidied } from './text.ts'

/** Markers at the start of lines in plain text, for the history and for input before the editor's script has loaded. */
export const marks = { heading: '■', subheading: '□', item: '・' } as const

/** Converts a text to plain text for `textOfPlain`. Drops bold, and appends the URL to the text of a link. */
export function plainTextOf(text: Text) {
  return text
    .map((block) => {
      if (block.kind === 'picture') return `［写真 ${block.url}${block.alt && ` ${block.alt}`}］`
      if ('runs' in block) return `${block.kind === 'paragraph' ? '' : marks[block.kind]}${inWords(block.runs)}`
      const markOf = (at: number) => (block.kind === 'list' ? marks.item : `${at + 1}. `)
      return block.items.map((item, at) => `${markOf(at)}${inWords(item)}`).join('\n')
    })
    .join('\n\n')
}

function inWords(runs: Run[]) {
  return inOne(
    runs.map(({ text, href }) => ({ text: href === undefined || href === text ? text : `${text}（${href}）` })),
  )
}

const HEADING = /^(?:■|# )\s*/
const SUBHEADING = /^(?:□|##+ )\s*/
const ITEM = /^(?:[・•]\s*|[-*] +)/
const NUMBERED = /^[0-9０-９]{1,3}(?:[.)] +|[．）]\s*)/
const PICTURE = /^［写真 (\/\S+?)(?: (.*))?］$/
const ADDRESS = /https?:\/\/[\w!#$%&'*+,./:;=?@~-]+[\w#%&*+/=~-]/g

/** Parses plain text: a blank line ends a paragraph, and a marker begins a heading or a list item. */
export function textOfPlain(words: string): Text {
  const text: Text = []
  let isOpen = false
  for (const line of withoutUnseen(words).split('\n')) {
    const last = text.at(-1)
    const row = rowOf(line)
    if (row === null) {
      isOpen = false
    } else if (row.kind === 'paragraph' && isOpen && last?.kind === 'paragraph') {
      last.runs.push({ text: '\n' }, ...row.runs)
    } else if ('items' in row && isOpen && last?.kind === row.kind) {
      last.items.push(...row.items)
    } else {
      text.push(row)
    }
    if (row) isOpen = true
  }
  return tidied(text)
}

function rowOf(line: string): Text[number] | null {
  if (line.trim() === '') return null
  const [, url = '', alt = ''] = PICTURE.exec(line.trim()) ?? []
  if (imageSources(url)) return { kind: 'picture', url, alt }
  for (const [kind, mark] of [['heading', HEADING] as const, ['subheading', SUBHEADING] as const]) {
    if (mark.test(line)) return { kind, runs: runsOf(line.replace(mark, '')) }
  }
  for (const [kind, mark] of [['list', ITEM] as const, ['numbered list', NUMBERED] as const]) {
    if (mark.test(line)) return { kind, items: [runsOf(line.replace(mark, ''))] }
  }
  return { kind: 'paragraph', runs: runsOf(line) }
}

function runsOf(line: string) {
  const runs: Run[] = []
  let at = 0
  for (const { 0: address, index } of line.matchAll(ADDRESS)) {
    runs.push({ text: line.slice(at, index) }, { text: address, href: address })
    at = index + address.length
  }
  return [...runs, { text: line.slice(at) }]
}
