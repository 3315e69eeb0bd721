import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { Event } from '../../app/calendar/event.ts'
import { addEvent } from '../../app/calendar/events.server.ts'
import { addCard } from '../../app/cards/cards.server.ts'
import type { Box } from '../../app/media/image.ts'
import { addImage } from '../../app/media/testing-images.ts'
import { saveNotice } from '../../app/notices/notices.server.ts'
import { pageSettingsOf } from '../../app/pages/page-record.server.ts'
import { addPage } from '../../app/pages/pages.server.ts'
import type { Tables } from '../../db/tables.ts'
import { onEachEngine } from '../../db/testing.ts'
import { noon, sampleSite } from '../testing.ts'
import { newFolder } from '../testing-disks.ts'
import { exportSite } from './export.ts'
import { importExport } from './import.ts'
import { readExport } from './import-documents.ts'

const author = { accountId: null, at: '2026-11-19T01:02:03.000Z' }

async function fillSite(db: Kysely<Tables>) {
  const { people } = await sampleSite(db)
  await people()
  const store = async (background: string, box: Box) => {
    const [width, height] = box === 'portrait' ? [60, 90] : [90, 60]
    const picture = sharp({ create: { width, height, channels: 3, background } })
    return addImage(db, await picture.png().toBuffer(), box, author)
  }
  const content = '一行目\n\n　二行目 <b>&\u{20bb7}'
  const texts = { title: '朝の品 ｶﾞ〜①', content, imageAlt: '写真 "上"', other: '控え' }
  const image = await store('#983a25', 'card')
  const dish = { ...texts, order: 1.5, price: '小 800、大 1200', image, linkUrl: 'https://x.example/?a=1' }
  await addCard(db, 'dining', { ...dish, allergens: '小麦 卵', allergensConfirmed: true, draft: true }, author)
  await addCard(db, 'vbacreate', { ...texts, image: await store('#111', 'screen'), eventDay: '2026-02-03' }, author)
  const slide = { text1: '店先', image: await store('#226', 'screen'), portraitImage: await store('#622', 'portrait') }
  await addCard(db, 'home', slide, author)
  const url = await store('#262', 'card')
  const text = [
    { kind: 'numbered list' as const, items: [[{ text: '一\n二' }], [{ text: '三', bold: true as const }]] },
    { kind: 'picture' as const, url, alt: '屋台' },
  ]
  await addPage(db, 'p-about', { ...pageSettingsOf('p-about', null), title: '店のこと', text }, author)
  await addCard(db, 'p-about', { title: '屋台', content: '', image: url }, author)
  const notice = { text: '年末は\n休みません', link: '/calendar', important: true, shownUntil: '2026-12-31T23:59' }
  await saveNotice(db, 'n-1', { version: 0, facts: notice }, author)
  const event = { day: '2026-12-24', title: '会', attendance: true, capacity: '12', deadline: '2026-12-20' }
  await addEvent(db, 'e-1', Event.parse({ ...event, startTime: '18:00', endTime: '20:30' }), author)
}

function readFolder(folder: string) {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()
  const documents = names.filter((name) => name.endsWith('.json'))
  // Accounts belong to a site, so exported members have no accounts.
  const parsed = (name: string, text: string): unknown =>
    JSON.parse(text, (key, value) => {
      if (name === 'members.json' && key === 'author') return undefined
      return key === 'schedule' || key === 'jsonData' ? parsed(name, value) : value
    })
  const contents = documents.map((name) => [name, parsed(name, readFileSync(join(folder, name), 'utf8'))])
  return { names, contents: Object.fromEntries(contents) }
}

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  const exportToFolder = async (db: Kysely<Tables>) => {
    const folder = newFolder()
    await exportSite(db, folder)
    return folder
  }

  test('exports the same files from an empty site after the import of these files', async () => {
    const [first, second] = [await fresh(), await fresh()]
    await fillSite(first)
    const folder = await exportToFolder(first)
    const report = await importExport(second, readExport(folder), { dryRun: false, now: noon })
    expect(report).toMatchObject({ leftOut: 0, notKept: 0 })
    const [before, after] = [readFolder(folder), readFolder(await exportToFolder(second))]
    expect(after.names).toEqual(before.names)
    expect(before.names.filter((name) => name.endsWith('.jpg'))).toHaveLength(5)
    expect(after.contents).toEqual(before.contents)
  })

  onSqlite('stores an image under a new name when another image has the same name', async () => {
    const db = await fresh()
    await fillSite(db)
    const folder = await exportToFolder(db)
    const { image } = await db.selectFrom('cards').select('image').where('text1', '=', '店先').executeTakeFirstOrThrow()
    const [, name = ''] = /^\/pictures\/(\w+)-1920\.jpg$/.exec(image) ?? []
    const bytes = () => db.selectFrom('pictureFiles').selectAll().where('name', '=', name).execute()
    const before = await bytes()
    const other = sharp({ create: { width: 90, height: 60, channels: 3, background: '#ffe' } })
    await other.jpeg().toFile(join(folder, 'pictures', `${name}-1920.jpg`))
    await importExport(db, readExport(folder), { dryRun: false, now: noon })
    expect(await bytes()).toEqual(before)
    const slides = await db.selectFrom('cards').select('image').where('text1', '=', '店先').distinct().execute()
    expect(slides).toEqual(expect.arrayContaining([{ image }, { image: expect.stringMatching(/-1920\.jpg$/) }]))
    expect(slides).toHaveLength(2)
  })
})
