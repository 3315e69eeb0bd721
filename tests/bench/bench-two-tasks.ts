import { collections, type SpecifiedCollection } from '../../app/cards/card.ts'
import { dayInJapan } from '../../app/dates/japan.ts'
import { addDays, type Day, monthOf } from '../../app/dates/month.ts'
import { scheduleRows } from '../../app/hours/business-day.ts'
import { noHourFields } from '../../app/hours/hour-fields.ts'
import type { Ask, Task } from './bench-two-editors.ts'

type Document = Record<string, unknown> & { id: string; version: number }

const sentence = (what: string, version: number) => `${what}の第${version}版。`
const saysAtLeast = (what: string) => (text: string, version: number) =>
  Number(new RegExp(`${what}の第(\\d+)版。`).exec(text)?.[1] ?? 0) >= version
// Compares values that wrap around: a value within half a round behind the wanted one has not reached it.
const isReached = (found: number, wanted: number, round: number) =>
  (((found - wanted) % round) + round) % round < round / 2

const monthPage = (day: Day) => `/calendar?month=${monthOf(day)}`

async function read<T>(ask: Ask, path: string): Promise<T | null> {
  const { status, text } = await ask(`/api/collections/${path}`)
  return status === 200 ? JSON.parse(text) : null
}

async function there<T>(ask: Ask, path: string): Promise<T> {
  const found = await read<T>(ask, path)
  if (!found) throw new Error(`${path} was not there.`)
  return found
}

async function added(ask: Ask, collection: string, json: object) {
  const { status, text } = await ask(`/api/collections/${collection}`, { json })
  if (status !== 201) throw new Error(`What was added to ${collection} was answered ${status}: ${text}`)
  return JSON.parse(text) as Document
}

const versionOf = (path: string) => async (ask: Ask) => (await read<Document>(ask, path))?.version ?? null

/** Returns a task for a card of each collection but the dishes, which have their own task. */
export async function cardTasks(ask: Ask): Promise<Task[]> {
  const names = (Object.keys(collections) as SpecifiedCollection[]).filter((name) => name !== 'dining')
  return Promise.all(
    names.map(async (name) => {
      const [first] = await there<Document[]>(ask, name)
      const card = first ?? (await added(ask, name, { title: '試し', content: '試し' }))
      const path = `${name}/${card.id}`
      const what = `試し${name}`
      const field = name === 'home' ? 'text1' : 'title'
      return {
        record: { subject: 'card', id: card.id },
        what,
        own: true,
        topic: name,
        read: versionOf(path),
        save: (ask, version) =>
          ask(`/api/collections/${path}`, { method: 'PATCH', json: { version, [field]: sentence(what, version + 1) } }),
        page: collections[name].path,
        shows: saysAtLeast(what),
      } satisfies Task
    }),
  )
}

/**
 * Returns a task that reorders the dishes. Each save moves the first dish to the end, so all dishes have a new version.
 */
export async function orderTask(ask: Ask): Promise<Task> {
  const dishes = await there<(Document & { title: string })[]>(ask, 'dining')
  const first = dishes[0] as Document
  let seen: string[] = []
  return {
    record: { subject: 'card', id: first.id },
    what: 'the order of the dishes',
    own: false,
    async read(ask) {
      const now = await read<Document[]>(ask, 'dining')
      seen = now?.map(({ id }) => id) ?? []
      return now?.find(({ id }) => id === first.id)?.version ?? null
    },
    save: (ask) => {
      const wanted = [...seen.slice(1), seen[0]].join()
      return ask('/dining', { form: { intent: 'reorder', seen: seen.join(), wanted } })
    },
    page: '/dining',
    shows(text, version) {
      const places = dishes.map(({ title }) => text.indexOf(`>${title}<`))
      const turned = places.indexOf(Math.min(...places))
      return isReached(turned, version - first.version, dishes.length)
    },
  }
}

/**
 * Returns a task that changes the weekly hours. Friday opens at as many minutes past midnight as the version number.
 */
export async function weekTask(ask: Ask): Promise<Task> {
  const { schedule } = await there<{ schedule: Record<string, object> }>(ask, 'bussinessDays/week')
  const rows = scheduleRows.flatMap((row) =>
    Object.entries(schedule[row] ?? {}).map(([field, value]) => [`${row}.${field}`, String(value)] as const),
  )
  const digits = (count: number) => String(count).padStart(2, '0')
  return {
    record: { subject: 'businessWeek', id: 'week' },
    what: 'the hours of the week',
    own: false,
    read: versionOf('bussinessDays/week'),
    save: (ask, version) => {
      const minute = (version + 1) % 360
      const begins = {
        '金曜日.starttime1_hour': digits(Math.floor(minute / 60)),
        '金曜日.starttime1_minute': digits(minute % 60),
      }
      const fields = { intent: 'week', version: String(version), beside: 'keep' }
      return ask('/bussinessdays', { form: { ...fields, ...Object.fromEntries(rows), ...begins } })
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
export async function specialDayTask(ask: Ask, inDays: number): Promise<Task> {
  const day = addDays(dayInJapan(Date.now()), inDays)
  const what = `試し${inDays}日後`
  const save = (ask: Ask, version: number) => {
    const replacing = version > 0 && { replacing: `${day}:${version}` }
    const reason = sentence(what, version + 1)
    return ask('/bussinessdays', {
      form: { intent: 'special', first: day, reason, ...ORDINARY, ...noHourFields, ...replacing },
    })
  }
  const { status, text } = await save(ask, 0)
  if (status !== 302) throw new Error(`A special day was answered ${status}: ${text.slice(0, 200)}`)
  return {
    record: { subject: 'specialDay', id: day },
    what,
    own: true,
    read: versionOf(`bussinessDaysSpecial/${day}`),
    save,
    page: monthPage(day),
    shows: saysAtLeast(what),
  }
}

/** Returns a task for an event in `inDays` days. `own` is whether only one editor changes it. */
export async function eventTask(ask: Ask, inDays: number, own: boolean): Promise<Task> {
  const date = addDays(dayInJapan(Date.now()), inDays)
  const what = `試しの会${inDays}`
  const { id } = await added(ask, 'events', { date, title: sentence(what, 1) })
  const path = `events/${id}`
  return {
    record: { subject: 'event', id },
    what,
    own,
    read: versionOf(path),
    save: (ask, version) =>
      ask(`/api/collections/${path}`, { method: 'PATCH', json: { version, title: sentence(what, version + 1) } }),
    page: monthPage(date),
    shows: saysAtLeast(what),
  }
}
