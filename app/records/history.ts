export type FieldChange = { label: string; before: string; after: string }

/** A history entry. `at` is ISO 8601 in UTC. */
export type Entry = {
  id: string
  at: string
  by: string
  kind: 'added' | 'changed' | 'put back' | 'deleted'
  changes: FieldChange[]
  /** Whether the record can be reverted to this state. False for a deletion and for the current state. */
  canReturn: boolean
}

/** Japanese verbs for a change. An object with を precedes the verb. */
export const changeLabels: Record<Entry['kind'], string> = {
  added: '追加しました',
  changed: '変更しました',
  'put back': '元に戻しました',
  deleted: '削除しました',
}

/** A page of a record's history. The newest entry is first. `page` counts from 1. */
export type History = { entries: Entry[]; page: number; older: boolean }

export function historyPageIn({ searchParams }: URL) {
  const page = Number(searchParams.get('changes') ?? 1)
  return Number.isInteger(page) && page >= 1 && page <= 100_000 ? page : 1
}

/** Returns the author's name, or a general term if hidden from the visitor. `accountId` is null for the site. */
export function formatAuthor(accountId: string | null, names: Map<string, string>) {
  if (accountId === null) return 'サイト'
  const name = names.get(accountId)
  return name ? `${name} さん` : 'ほかの方'
}

let dateFormat: Intl.DateTimeFormat | undefined

/** Formats an instant in Japanese time: 2026年11月20日 12:00. */
export function formatInstant(instant: string) {
  dateFormat ??= new Intl.DateTimeFormat('ja-JP', {
    timeZone: 'Asia/Tokyo',
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  })
  return dateFormat.format(new Date(instant))
}

const CONTEXT_CHARACTERS = 20
const MAX_CHARACTERS = 160

/** Returns the differing fields. A long text is shortened to the part around the first difference. */
export function differences(before: Record<string, string>, after: Record<string, string>): FieldChange[] {
  const labels = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return labels.flatMap((label) => {
    const [oldText, newText] = [before[label] ?? '', after[label] ?? '']
    return oldText === newText ? [] : [{ label, ...cutToDifference(oldText, newText) }]
  })
}

function cutToDifference(before: string, after: string) {
  const [oldCharacters, newCharacters] = [Array.from(before), Array.from(after)]
  let equalLength = 0
  while (equalLength < oldCharacters.length && oldCharacters[equalLength] === newCharacters[equalLength])
    equalLength += 1
  const from =
    oldCharacters.length > MAX_CHARACTERS || newCharacters.length > MAX_CHARACTERS
      ? Math.max(0, equalLength - CONTEXT_CHARACTERS)
      : 0
  const cut = (text: string[]) =>
    `${from > 0 && text.length > from ? '…' : ''}${text.slice(from, from + MAX_CHARACTERS).join('')}${text.length > from + MAX_CHARACTERS ? '…' : ''}`
  return { before: cut(oldCharacters), after: cut(newCharacters) }
}
