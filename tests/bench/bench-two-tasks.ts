import { collections, type SpecifiedCollection } from '../../app/cards/card.ts'
import { dayInJapan } from '../../app/dates/japan.ts'
import { addDays, type Day, monthOf } from '../../app/dates/month.ts'
import { scheduleRows } from '../../app/hours/business-day.ts'
import { noHourFields } from '../../app/hours/hour-fields.ts'
import type { Client, Task } from './bench-two-editors.ts'

type Document = Record<string, unknown> & { id: string; version: number }

const sentence = (label: string, version: number) => `${label}の第${version}版。`
const showsVersion = (label: string) => (text: string, version: number) =>
  Number(new RegExp(`${label}の第(\\d+)版。`).exec(text)?.[1] ?? 0) >= version
// Compares values that begin again after each `round`. `found` has reached `wanted` if it is less than half a round
// ahead of `wanted`.
const isReached = (found: number, wanted: number, round: number) =>
  (((found - wanted) % round) + round) % round < round / 2

const monthPage = (day: Day) => `/calendar?month=${monthOf(day)}`

async function read<T>(send: Client, path: string): Promise<T | null> {
  const { status, text } = await send(`/api/collections/${path}`)
  return status === 200 ? JSON.parse(text) : null
}

async function readRequired<T>(send: Client, path: string): Promise<T> {
  const found = await read<T>(send, path)
  if (!found) throw new Error(`${path} not found`)
  return found
}

async function addDocument(send: Client, collection: string, json: object) {
  const { status, text } = await send(`/api/collections/${collection}`, { json })
  if (status !== 201) throw new Error(`Adding to ${collection} failed: got ${status} ${text}, expected 201`)
  return JSON.parse(text) as Document
}

const versionOf = (path: string) => async (send: Client) => (await read<Document>(send, path))?.version ?? null

/** Returns a task for one card of each collection except the dishes, which have their own task. */
export async function cardTasks(send: Client): Promise<Task[]> {
  const names = (Object.keys(collections) as SpecifiedCollection[]).filter((name) => name !== 'dining')
  return Promise.all(
    names.map(async (name) => {
      const [first] = await readRequired<Document[]>(send, name)
      const card = first ?? (await addDocument(send, name, { title: '試し', content: '試し' }))
      const path = `${name}/${card.id}`
      const label = `試し${name}`
      const field = name === 'home' ? 'text1' : 'title'
      return {
        record: { subject: 'card', id: card.id },
        label,
        own: true,
        topic: name,
        read: versionOf(path),
        save: (send, version) =>
          send(`/api/collections/${path}`, {
            method: 'PATCH',
            json: { version, [field]: sentence(label, version + 1) },
          }),
        page: collections[name].path,
        shows: showsVersion(label),
      } satisfies Task
    }),
  )
}

/**
 * Returns a task that reorders the dishes. Each save moves the first dish to the end and so makes a new version of
 * every dish.
 */
export async function orderTask(send: Client): Promise<Task> {
  const dishes = await readRequired<(Document & { title: string })[]>(send, 'dining')
  const first = dishes[0] as Document
  let seen: string[] = []
  return {
    record: { subject: 'card', id: first.id },
    label: 'the order of the dishes',
    own: false,
    async read(send) {
      const now = await read<Document[]>(send, 'dining')
      seen = now?.map(({ id }) => id) ?? []
      return now?.find(({ id }) => id === first.id)?.version ?? null
    },
    save: (send) => {
      const wanted = [...seen.slice(1), seen[0]].join()
      return send('/dining', { form: { intent: 'reorder', seen: seen.join(), wanted } })
    },
    page: '/dining',
    shows(text, version) {
      const positions = dishes.map(({ title }) => text.indexOf(`>${title}<`))
      const offset = positions.indexOf(Math.min(...positions))
      return isReached(offset, version - first.version, dishes.length)
    },
  }
}

/**
 * Returns a task that changes the weekly hours. Each save sets the opening time of Friday to the new version number, in
 * minutes after midnight (modulo 360).
 */
export async function weekTask(send: Client): Promise<Task> {
  const { schedule } = await readRequired<{ schedule: Record<string, object> }>(send, 'bussinessDays/week')
  const rows = scheduleRows.flatMap((row) =>
    Object.entries(schedule[row] ?? {}).map(([field, value]) => [`${row}.${field}`, String(value)] as const),
  )
  const digits = (count: number) => String(count).padStart(2, '0')
  return {
    record: { subject: 'businessWeek', id: 'week' },
    label: 'the hours of the week',
    own: false,
    read: versionOf('bussinessDays/week'),
    save: (send, version) => {
      const minute = (version + 1) % 360
      const opening = {
        '金曜日.starttime1_hour': digits(Math.floor(minute / 60)),
        '金曜日.starttime1_minute': digits(minute % 60),
      }
      const fields = { intent: 'week', version: String(version), beside: 'keep' }
      return send('/bussinessdays', { form: { ...fields, ...Object.fromEntries(rows), ...opening } })
    },
    page: '/infomation',
    shows(text, version) {
      const [, hour, minute] = /<tbody>.*?[^\d]([0-5]):(\d\d)/s.exec(text) ?? []
      return isReached(Number(hour) * 60 + Number(minute), version, 360)
    },
  }
}

const ORDINARY = { rhythm: '毎日', weekday: '0', bulk: 'no', sure: 'yes' }

/** Returns a task for a special day that only one editor changes, `inDays` days from today. */
export async function specialDayTask(send: Client, inDays: number): Promise<Task> {
  const day = addDays(dayInJapan(Date.now()), inDays)
  const label = `試し${inDays}日後`
  const save = (send: Client, version: number) => {
    const replacing = version > 0 && { replacing: `${day}:${version}` }
    const reason = sentence(label, version + 1)
    return send('/bussinessdays', {
      form: { intent: 'special', first: day, reason, ...ORDINARY, ...noHourFields, ...replacing },
    })
  }
  const { status, text } = await save(send, 0)
  if (status !== 302) throw new Error(`Adding a special day failed: got ${status} ${text.slice(0, 200)}, expected 302`)
  return {
    record: { subject: 'specialDay', id: day },
    label,
    own: true,
    read: versionOf(`bussinessDaysSpecial/${day}`),
    save,
    page: monthPage(day),
    shows: showsVersion(label),
  }
}

/** Returns a task for an event, `inDays` days from today. `isOwn` is whether only one editor changes the event. */
export async function eventTask(send: Client, inDays: number, isOwn: boolean): Promise<Task> {
  const date = addDays(dayInJapan(Date.now()), inDays)
  const label = `試しの会${inDays}`
  const { id } = await addDocument(send, 'events', { date, title: sentence(label, 1) })
  const path = `events/${id}`
  return {
    record: { subject: 'event', id },
    label,
    own: isOwn,
    read: versionOf(path),
    save: (send, version) =>
      send(`/api/collections/${path}`, { method: 'PATCH', json: { version, title: sentence(label, version + 1) } }),
    page: monthPage(date),
    shows: showsVersion(label),
  }
}
