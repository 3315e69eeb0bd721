/** One of what is called `label`, before and after a change; empty where there was nothing. */
export type Told = { label: string; before: string; after: string }

/** A change as it is told: who made it, when (ISO 8601 in UTC), and of what. */
export type Entry = {
  id: string
  at: string
  by: string
  kind: 'added' | 'changed' | 'put back' | 'deleted'
  changes: Told[]
  /** Whether this state can be put back: it is one, and not the present one. */
  canReturn: boolean
}

/** What became of a record, behind を. */
export const changeWords: Record<Entry['kind'], string> = {
  added: '追加しました',
  changed: '変更しました',
  'put back': '元に戻しました',
  deleted: '削除しました',
}

/** The changes of one subject, newest first; `page` counts from 1. */
export type History = { entries: Entry[]; page: number; older: boolean }

/** Which page of the history an address asks for, by its `changes`. */
export function pageOfHistory({ searchParams }: URL) {
  const asked = Number(searchParams.get('changes') ?? 1)
  return Number.isInteger(asked) && asked >= 1 && asked <= 100_000 ? asked : 1
}

/** Who made a change, as far as whoever asks may know their name. */
export function whoInWords(accountId: string | null, names: Map<string, string>) {
  if (accountId === null) return 'サイト'
  const name = names.get(accountId)
  return name ? `${name} さん` : 'ほかの方'
}

let inJapanese: Intl.DateTimeFormat | undefined

/** 2026年11月20日 12:00, in Japan. */
export function whenInWords(instant: string) {
  inJapanese ??= new Intl.DateTimeFormat('ja-JP', {
    timeZone: 'Asia/Tokyo',
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  })
  return inJapanese.format(new Date(instant))
}

const AROUND = 20
const MOST = 160

/** What differs between the words of two records; a long text is cut to where it does. */
export function differences(before: Record<string, string>, after: Record<string, string>): Told[] {
  const labels = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return labels.flatMap((label) => {
    const [was, is] = [before[label] ?? '', after[label] ?? '']
    return was === is ? [] : [{ label, ...cutToDifference(was, is) }]
  })
}

function cutToDifference(before: string, after: string) {
  const [was, is] = [Array.from(before), Array.from(after)]
  let same = 0
  while (same < was.length && was[same] === is[same]) same += 1
  const from = was.length > MOST || is.length > MOST ? Math.max(0, same - AROUND) : 0
  const cut = (text: string[]) =>
    `${from > 0 && text.length > from ? '…' : ''}${text.slice(from, from + MOST).join('')}${text.length > from + MOST ? '…' : ''}`
  return { before: cut(was), after: cut(is) }
}
