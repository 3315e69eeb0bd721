import { imageSources } from '../media/image.ts'
import { withoutUnseen } from '../ui/typed-text.ts'
import { joinRuns, normalizeText, type Run, type Text } from './text.ts'

/** Markers of plain text in the history, and in the textarea before the editor's script has loaded. */
export const lineMarkers = { heading: '■', subheading: '□', item: '・' } as const

/** Returns text for `parsePlainText`. Drops bold, and appends the URL of a link to the link text. */
export function plainTextOf(text: Text) {
  return text
    .map((block) => {
      if (block.kind === 'picture') return `［写真 ${block.url}${block.alt && ` ${block.alt}`}］`
      if ('runs' in block)
        return `${block.kind === 'paragraph' ? '' : lineMarkers[block.kind]}${runsToPlain(block.runs)}`
      const markerAt = (index: number) => (block.kind === 'list' ? lineMarkers.item : `${index + 1}. `)
      return block.items.map((item, index) => `${markerAt(index)}${runsToPlain(item)}`).join('\n')
    })
    .join('\n\n')
}

function runsToPlain(runs: Run[]) {
  return joinRuns(
    runs.map(({ text, href }) => ({ text: href === undefined || href === text ? text : `${text}（${href}）` })),
  )
}

const HEADING = /^(?:■|# )\s*/
const SUBHEADING = /^(?:□|##+ )\s*/
const ITEM = /^(?:[・•]\s*|[-*] +)/
const NUMBERED = /^[0-9０-９]{1,3}(?:[.)] +|[．）]\s*)/
const PICTURE = /^［写真 (\/\S+?)(?: (.*))?］$/
const URL_IN_TEXT = /https?:\/\/[\w!#$%&'*+,./:;=?@~-]+[\w#%&*+/=~-]/g

export function parsePlainText(plain: string): Text {
  const text: Text = []
  let continuesBlock = false
  for (const line of withoutUnseen(plain).split('\n')) {
    const last = text.at(-1)
    const row = parseLine(line)
    if (row === null) {
      continuesBlock = false
    } else if (row.kind === 'paragraph' && continuesBlock && last?.kind === 'paragraph') {
      last.runs.push({ text: '\n' }, ...row.runs)
    } else if ('items' in row && continuesBlock && last?.kind === row.kind) {
      last.items.push(...row.items)
    } else {
      text.push(row)
    }
    if (row) continuesBlock = true
  }
  return normalizeText(text)
}

function parseLine(line: string): Text[number] | null {
  if (line.trim() === '') return null
  const [, url = '', alt = ''] = PICTURE.exec(line.trim()) ?? []
  if (imageSources(url)) return { kind: 'picture', url, alt }
  for (const [kind, marker] of [['heading', HEADING] as const, ['subheading', SUBHEADING] as const]) {
    if (marker.test(line)) return { kind, runs: parseRuns(line.replace(marker, '')) }
  }
  for (const [kind, marker] of [['list', ITEM] as const, ['numbered list', NUMBERED] as const]) {
    if (marker.test(line)) return { kind, items: [parseRuns(line.replace(marker, ''))] }
  }
  return { kind: 'paragraph', runs: parseRuns(line) }
}

function parseRuns(line: string) {
  const runs: Run[] = []
  let end = 0
  for (const { 0: url, index } of line.matchAll(URL_IN_TEXT)) {
    runs.push({ text: line.slice(end, index) }, { text: url, href: url })
    end = index + url.length
  }
  return [...runs, { text: line.slice(end) }]
}
