import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { imageSources, widthsOf } from '../../app/media/image.ts'
import { recordTypes } from '../../app/owner/record-types.server.ts'
import { isPostgres, untypedTables } from '../../db/engine.ts'
import type { Db, Tables } from '../../db/tables.ts'

type Row = Record<string, unknown>
type Revision = Tables['revisions']

/** Result of an integrity check: the count of each marker, all save IDs, and the inconsistencies. */
export type IntegrityReport = { markers: Map<string, number>; saves: Set<string>; inconsistencies: string[] }

/** Reads the database of a site and checks that every record is complete. */
export async function checkIntegrity(db: Db): Promise<IntegrityReport> {
  const markers = new Map<string, number>()
  const countMarker = (name: string) => markers.set(name, (markers.get(name) ?? 0) + 1)
  const revisions = await db.selectFrom('revisions').selectAll().orderBy('version').execute()
  for (const revision of revisions) for (const each of markersOf(revision)) countMarker(each)
  const messages = await db.selectFrom('messages').select(['id', 'subject', 'spam', 'doneAt']).execute()
  for (const { id, subject, doneAt } of messages)
    for (const marker of [...findMarkers(subject), ...(doneAt ? [`done ${id}`] : [])]) countMarker(marker)
  const invitations = await db.selectFrom('invitations').select(['key', 'name', 'endedAt']).execute()
  for (const { key, name, endedAt } of invitations)
    for (const marker of [...findMarkers(name), ...(endedAt ? [`ended ${key}`] : [])]) countMarker(marker)
  const pictures = await db.selectFrom('pictures').select('name').execute()
  for (const { name } of pictures) countMarker(`picture ${name}`)
  const inconsistencies = [
    ...(await findInconsistentRecords(db, revisions)),
    ...(await findInconsistentMessages(db, messages)),
    ...(await findIncompleteImages(db, pictures)),
    ...(await findOrderGaps(db)),
    ...(await findUnfinishedForms(db)),
    ...(await findDatabaseErrors(db)),
  ]
  return { markers, saves: new Set(revisions.map(({ saveId }) => saveId)), inconsistencies }
}

function findMarkers(text: string | null) {
  return text?.match(/#\d+#/g) ?? []
}

// Returns the markers that a revision added, and a marker for its version. A deletion or an approval has one more
// marker. A restore adds no markers from its text.
function markersOf({ subject, subjectId, action, before, after, version }: Revision) {
  const previousMarkers = new Set(findMarkers(before))
  return [
    ...(action === 'restore' ? [] : new Set(findMarkers(after).filter((marker) => !previousMarkers.has(marker)))),
    subject === 'businessWeek' ? `week ${version}` : `${subject} ${subjectId} ${version}`,
    ...(after === null ? [`gone ${subjectId}`] : []),
    ...(action === 'approve' ? [`approved ${subjectId}`] : []),
  ]
}

// Each record must equal its last revision. Each revision must begin with the state at the end of the previous
// revision.
async function findInconsistentRecords(db: Db, revisions: Revision[]) {
  const inconsistencies: string[] = []
  const histories = Map.groupBy(revisions, ({ subject, subjectId }) => `${subject} ${subjectId}`)
  for (const { subject, table, key = 'id' } of recordTypes) {
    const rows: Row[] = await untypedTables(db).withoutPlugins().selectFrom(table).selectAll().execute()
    const currentRows = new Map(rows.map((row) => [`${subject} ${row[key]}`, row.deletedAt ? null : row]))
    for (const [name, history] of histories) {
      if (!name.startsWith(`${subject} `)) continue
      let previousState: unknown = null
      for (const [index, { before, after, version }] of history.entries()) {
        if (version !== index + 1) inconsistencies.push(`${name}: version ${version} follows ${index}`)
        if (!isDeepStrictEqual(parsed(before), previousState))
          inconsistencies.push(`${name}: version ${version} begins with another state`)
        previousState = parsed(after)
      }
      if (!isDeepStrictEqual(previousState, currentRows.get(name) ?? null))
        inconsistencies.push(`${name}: differs from its last revision`)
    }
  }
  return inconsistencies
}

function parsed(state: string | null): unknown {
  return state && JSON.parse(state)
}

async function findInconsistentMessages(db: Db, messages: { id: string; spam: boolean }[]) {
  const mails = await db.selectFrom('outbox').select('about').where('recipient', 'is not', null).execute()
  const counts = new Map<string | null, number>()
  for (const { about } of mails) counts.set(about, (counts.get(about) ?? 0) + 1)
  const inconsistent = messages.filter(({ id, spam }) => (counts.get(id) ?? 0) !== (spam ? 0 : 1))
  return inconsistent.map(({ id }) => `message ${id}: ${counts.get(id) ?? 0} mails`)
}

async function findIncompleteImages(db: Db, pictures: { name: string }[]) {
  const files = await db.selectFrom('pictureFiles').select('name').execute()
  const filesByName = Map.groupBy(files, ({ name }) => name)
  const formats = Object.keys(imageSources('/pictures/a-800.jpg') ?? {}).length
  const expectedCount = widthsOf('card').length * formats
  return pictures.flatMap(({ name }) => {
    const count = filesByName.get(name)?.length ?? 0
    return count === expectedCount ? [] : [`picture ${name}: ${count} files of ${expectedCount}`]
  })
}

// The trials reorder only slides. Each reorder includes all slides, so the positions have no gaps.
async function findOrderGaps(db: Db) {
  const slides = db.selectFrom('cards').select('order').where('collection', '=', 'home').where('deletedAt', 'is', null)
  const orders = (await slides.execute()).map(({ order }) => order ?? 0).sort((a, b) => a - b)
  return orders.some((order, index) => order !== index + 1) ? [`slides: numbered ${orders.join(', ')}`] : []
}

async function findUnfinishedForms(db: Db) {
  const unfinished = await db.selectFrom('onceKeys').select('key').where('result', '=', '').execute()
  return unfinished.map(({ key }) => `form ${key}: no result`)
}

async function findDatabaseErrors(db: Db) {
  if (isPostgres(db)) return []
  const { rows } = await sql<Record<string, string>>`pragma integrity_check`.execute(db)
  const messages = rows.map((row) => Object.values(row).join())
  return messages.join() === 'ok' ? [] : messages
}
