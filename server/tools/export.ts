import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Selectable } from 'kysely'
import { collectionNames } from '../../app/cards/card.ts'
import { pricesOf } from '../../app/cards/price.ts'
import { formatDayWithYear } from '../../app/dates/month.ts'
import { memberFieldNames } from '../../app/members/member.ts'
import { isOwnPageId } from '../../app/pages/own-page.ts'
import { pageSettingsOf } from '../../app/pages/page-record.server.ts'
import { onSnapshot } from '../../db/rows.ts'
import type { CardRow, Db, MemberRow, SpecialDayRow } from '../../db/tables.ts'
import { splitDay } from '../http/collection.ts'

type Documents = Record<string, Record<string, unknown>>

/** Exports the site at one point in time into a folder, in the format of the old site. */
export function exportSite(db: Db, folder: string) {
  mkdirSync(join(folder, 'pictures'), { recursive: true, mode: 0o700 })
  return onSnapshot(db, async (trx) => {
    let documents = 0
    for (const [collection, content] of Object.entries(await collectionsOf(trx))) {
      documents += Object.keys(content).length
      writeFileSync(join(folder, `${collection}.json`), `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
    }
    return { documents, pictures: await writePictures(trx, join(folder, 'pictures')) }
  })
}

async function collectionsOf(db: Db): Promise<Record<string, Documents>> {
  const cards = await db.selectFrom('cards').selectAll().where('deletedAt', 'is', null).orderBy('id').execute()
  // A dish may refer to a deleted section, which the export does not contain.
  const sections = await db
    .selectFrom('menuSections')
    .selectAll()
    .where('deletedAt', 'is', null)
    .orderBy('id')
    .execute()
  const sectionOf = ({ section }: { section: string }) => (sections.some(({ id }) => id === section) ? section : '')
  const members = await db.selectFrom('members').selectAll().where('deletedAt', 'is', null).orderBy('id').execute()
  const events = await db.selectFrom('events').selectAll().where('deletedAt', 'is', null).orderBy('id').execute()
  const notices = await db.selectFrom('notices').selectAll().where('deletedAt', 'is', null).orderBy('id').execute()
  const week = await db.selectFrom('businessWeek').selectAll().execute()
  const special = await db.selectFrom('specialDays').selectAll().orderBy('day').execute()
  const exportedCards = cards.map((card) => ({ ...card, section: sectionOf(card) }))
  const cardsOf = (name: string) => exportedCards.filter(({ collection }) => collection === name)
  const ownPageIds = [...new Set(cards.map(({ collection }) => collection))].filter(isOwnPageId).sort()
  const pages = await db.selectFrom('pages').selectAll().where('deletedAt', 'is', null).orderBy('id').execute()
  const cardDocuments = [...collectionNames, ...ownPageIds].map((name): [string, Documents] => [
    name,
    byId(cardsOf(name), cardDocument),
  ])
  const translations = await db.selectFrom('translations').selectAll().orderBy('id').execute()
  return {
    ...Object.fromEntries(cardDocuments),
    translations: byId(translations, ({ texts }) => JSON.parse(texts)),
    sections: byId(sections, ({ id: _, version: __, updatedAt: ___, deletedAt: ____, ...section }) => section),
    pages: byId(pages, ({ id, facts }) => pageSettingsOf(id, { facts })),
    dining:
      cardsOf('dining').length > 0 ? { dining: { jsonData: JSON.stringify(cardsOf('dining').map(cardDocument)) } } : {},
    members: byId(members, memberDocument),
    events: byId(events, ({ id: _, day, version: __, deletedAt: ___, ...event }) => ({
      jsonData: JSON.stringify({ ...event, date: day }),
    })),
    notices: byId(notices, ({ id: _, version: __, updatedAt: ___, deletedAt: ____, ...notice }) => notice),
    bussinessDays: byId(week, ({ schedule, createdAt, updatedAt }) => ({ schedule, createdAt, updatedAt })),
    bussinessDaysSpecial:
      special.length > 0 ? { special: { schedule: JSON.stringify(special.map(specialEntry)) } } : {},
  }
}

function byId<Row extends { id: string }>(rows: Row[], documentOf: (row: Row) => Record<string, unknown>): Documents {
  return Object.fromEntries(rows.map((row) => [row.id, documentOf(row)]))
}

function cardDocument(row: Selectable<CardRow>) {
  const { collection: _, version: __, deletedAt: ___, price, eventDay, createdAt, updatedAt, ...fields } = row
  const day = { eventday: eventDay, eventdate: eventDay, eventdatestring: eventDay && formatDayWithYear(eventDay) }
  const selected = eventDay ? splitDay(eventDay) : {}
  return { ...fields, price: exportedPrice(price), ...day, ...selected, created_at: createdAt, updated_at: updatedAt }
}

function exportedPrice(stored: string) {
  const [price, ...others] = pricesOf(stored)
  if (!price) return null
  return others.length === 0 && price.label === '' ? price.yen : stored
}

function memberDocument(row: MemberRow) {
  const { telNum, ...fields } = Object.fromEntries(memberFieldNames.map((name) => [name, row[name]]))
  const { birthday, realname, createdAt, updatedAt } = row
  return {
    ...fields,
    tel_num: telNum,
    challenge: row.strengths,
    administrator: row.administrator,
    admin: row.admin,
    author: { id: row.accountId ?? row.nonMemberId, username: row.username },
    ...(birthday && { birthday }),
    ...(realname && { realname }),
    createdAt,
    updatedAt,
  }
}

function specialEntry({ day, version: _, hours, ...row }: SpecialDayRow) {
  return { id: day, ...splitDay(day), ...row, ...JSON.parse(hours) }
}

// Cards refer to the widest JPEG.
async function writePictures(db: Db, folder: string) {
  const names = await db.selectFrom('pictures').select('name').orderBy('name').execute()
  for (const { name } of names) {
    const file = await db
      .selectFrom('pictureFiles')
      .selectAll()
      .where('name', '=', name)
      .where('format', '=', 'jpg')
      .orderBy('width', 'desc')
      .executeTakeFirst()
    if (file) writeFileSync(join(folder, `${name}-${file.width}.jpg`), file.bytes, { mode: 0o600 })
  }
  return names.length
}
