import { isDeepStrictEqual } from 'node:util'
import { type Kysely, sql } from 'kysely'
import { imageSources, widthsOf } from '../../app/media/image.ts'
import { recordTypes } from '../../app/owner/record-types.server.ts'
import { isPostgres, untypedTables } from '../../db/engine.ts'
import type { Tables } from '../../db/tables.ts'

type Row = Record<string, unknown>
type Revision = Tables['revisions']

/** Result of an integrity check: the count of each marker, all save IDs, and the inconsistencies. */
export type Books = { signs: Map<string, number>; saves: Set<string>; halves: string[] }

/** Reads the database of a site and checks that every record is complete. */
export async function readBooks(db: Kysely<Tables>): Promise<Books> {
  const signs = new Map<string, number>()
  const sign = (name: string) => signs.set(name, (signs.get(name) ?? 0) + 1)
  const revisions = await db.selectFrom('revisions').selectAll().orderBy('version').execute()
  for (const revision of revisions) for (const each of signsOf(revision)) sign(each)
  const messages = await db.selectFrom('messages').select(['id', 'subject', 'spam', 'doneAt']).execute()
  for (const { id, subject, doneAt } of messages)
    for (const mark of [...marksIn(subject), ...(doneAt ? [`done ${id}`] : [])]) sign(mark)
  const invitations = await db.selectFrom('invitations').select(['key', 'name', 'endedAt']).execute()
  for (const { key, name, endedAt } of invitations)
    for (const mark of [...marksIn(name), ...(endedAt ? [`ended ${key}`] : [])]) sign(mark)
  const pictures = await db.selectFrom('pictures').select('name').execute()
  for (const { name } of pictures) sign(`picture ${name}`)
  const halves = [
    ...(await halfRecords(db, revisions)),
    ...(await halfMessages(db, messages)),
    ...(await halfPictures(db, pictures)),
    ...(await halfOrder(db)),
    ...(await halfForms(db)),
    ...(await damages(db)),
  ]
  return { signs, saves: new Set(revisions.map(({ saveId }) => saveId)), halves }
}

function marksIn(text: string | null) {
  return text?.match(/#\d+#/g) ?? []
}

// Returns the markers that a revision added, its version, and markers for a deletion or an approval. A restore adds no
// markers.
function signsOf({ subject, subjectId, action, before, after, version }: Revision) {
  const old = new Set(marksIn(before))
  return [
    ...(action === 'restore' ? [] : new Set(marksIn(after).filter((mark) => !old.has(mark)))),
    subject === 'businessWeek' ? `week ${version}` : `${subject} ${subjectId} ${version}`,
    ...(after === null ? [`gone ${subjectId}`] : []),
    ...(action === 'approve' ? [`approved ${subjectId}`] : []),
  ]
}

// Each record must equal its last revision, and each revision must begin with the state that the previous one left.
async function halfRecords(db: Kysely<Tables>, revisions: Revision[]) {
  const halves: string[] = []
  const histories = Map.groupBy(revisions, ({ subject, subjectId }) => `${subject} ${subjectId}`)
  for (const { subject, table, key } of recordTypes) {
    const rows: Row[] = await untypedTables(db).withoutPlugins().selectFrom(table).selectAll().execute()
    const now = new Map(rows.map((row) => [`${subject} ${row[key]}`, row.deletedAt ? null : row]))
    for (const [name, history] of histories) {
      if (!name.startsWith(`${subject} `)) continue
      let last: unknown = null
      for (const [index, { before, after, version }] of history.entries()) {
        if (version !== index + 1) halves.push(`${name}: version ${version} comes after ${index}`)
        if (!isDeepStrictEqual(parsed(before), last)) halves.push(`${name}: version ${version} begins elsewhere`)
        last = parsed(after)
      }
      if (!isDeepStrictEqual(last, now.get(name) ?? null))
        halves.push(`${name}: is not what its last change made of it`)
    }
  }
  return halves
}

function parsed(state: string | null): unknown {
  return state && JSON.parse(state)
}

async function halfMessages(db: Kysely<Tables>, messages: { id: string; spam: boolean }[]) {
  const mails = await db.selectFrom('outbox').select('about').where('recipient', 'is not', null).execute()
  const counts = new Map<string | null, number>()
  for (const { about } of mails) counts.set(about, (counts.get(about) ?? 0) + 1)
  const wrong = messages.filter(({ id, spam }) => (counts.get(id) ?? 0) !== (spam ? 0 : 1))
  return wrong.map(({ id }) => `message ${id}: ${counts.get(id) ?? 0} mails`)
}

async function halfPictures(db: Kysely<Tables>, pictures: { name: string }[]) {
  const files = await db.selectFrom('pictureFiles').select('name').execute()
  const of = Map.groupBy(files, ({ name }) => name)
  const formats = Object.keys(imageSources('/pictures/a-800.jpg') ?? {}).length
  const whole = widthsOf('card').length * formats
  return pictures.flatMap(({ name }) => {
    const count = of.get(name)?.length ?? 0
    return count === whole ? [] : [`picture ${name}: ${count} files of ${whole}`]
  })
}

// The trials only reorder slides, always all of them in one save.
async function halfOrder(db: Kysely<Tables>) {
  const slides = db.selectFrom('cards').select('order').where('collection', '=', 'home').where('deletedAt', 'is', null)
  const orders = (await slides.execute()).map(({ order }) => order ?? 0).sort((a, b) => a - b)
  return orders.some((order, index) => order !== index + 1) ? [`slides: numbered ${orders.join(', ')}`] : []
}

async function halfForms(db: Kysely<Tables>) {
  const open = await db.selectFrom('onceKeys').select('key').where('result', '=', '').execute()
  return open.map(({ key }) => `form ${key}: taken, without a result`)
}

async function damages(db: Kysely<Tables>) {
  if (isPostgres(db)) return []
  const { rows } = await sql<Record<string, string>>`pragma integrity_check`.execute(db)
  const said = rows.map((row) => Object.values(row).join())
  return said.join() === 'ok' ? [] : said
}
