import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import type { KyselyPlugin } from 'kysely'
import sharp from 'sharp'
import { expect, onTestFinished, test } from 'vitest'
import { Event } from '../../app/calendar/event.ts'
import { addEvent, addSeries } from '../../app/calendar/events.server.ts'
import { addCard, listCards } from '../../app/cards/cards.server.ts'
import type { Box } from '../../app/media/image.ts'
import { addImage } from '../../app/media/testing-images.ts'
import { saveNotice } from '../../app/notices/notices.server.ts'
import { pageSettingsOf } from '../../app/pages/page-record.server.ts'
import { addPage } from '../../app/pages/pages.server.ts'
import { saveSettings } from '../../app/records/settings-record.server.ts'
import type { Section } from '../../app/sections/section.ts'
import { deleteSection, hideSection, listSections, saveSection } from '../../app/sections/sections.server.ts'
import { translationsOf } from '../../app/translations/translation-record.server.ts'
import { openDatabase } from '../../db/open.ts'
import type { Db } from '../../db/tables.ts'
import { onEachEngine } from '../../db/testing.ts'
import { noon, sampleSite } from '../testing.ts'
import { folderWith, newFolder } from '../testing-disks.ts'
import { exportSite } from './export.ts'
import { importExport } from './import.ts'
import { readExport } from './import-documents.ts'

const author = { accountId: null, at: '2026-11-19T01:02:03.000Z' }

async function fillSite(db: Db) {
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
  for (const id of ['section-z', 'section-a', 'section-deleted'])
    await saveSection(db, id, { version: 0, facts: { name: id, introduction: '一行目\n二行目' } }, author)
  const times = { served: 'own', servedFrom: '17:00', servedUntil: '01:30', draft: true, shownFrom: '2026-12-01T00:00' }
  await saveSection(db, 'section-a', { version: 1, facts: times as Partial<Section> }, author)
  await hideSection(db, 'section-z', '2026-12-31T05:00', author)
  const shown = { shownFrom: '2026-11-01T09:00', shownUntil: '2026-12-25T21:30' }
  const drink = { title: '柚子茶', price: '時価', marks: 'ヴィーガン', section: 'section-z', ...shown }
  await addCard(db, 'dining', drink, author)
  await addCard(db, 'dining', { title: '葛湯', section: 'section-deleted' }, author)
  await deleteSection(db, { id: 'section-deleted', version: 1 }, author)
  const dish = { ...texts, order: 1.5, price: '小 800、大 1200', image, linkUrl: 'https://x.example/?a=1' }
  await addCard(db, 'dining', { ...dish, allergens: '小麦 卵', allergensConfirmed: true, draft: true }, author)
  await addCard(db, 'vbacreate', { ...texts, image: await store('#111', 'screen'), eventDay: '2026-02-03' }, author)
  const slide = { text1: '店先', image: await store('#226', 'screen'), portraitImage: await store('#622', 'portrait') }
  await addCard(db, 'home', slide, author)
  const translation = { text: 'Yuzu tea', source: '柚子茶', at: '2026-11-19T01:02:03.000Z' }
  const translations = {
    version: 0,
    facts: { 'section-z.name': translation, 'other.title': { ...translation, text: '湯 & tea' } },
  }
  await saveSettings(db, translationsOf('en', 'dining'), translations, author)
  const url = await store('#262', 'card')
  const text = [
    { kind: 'numbered list' as const, items: [[{ text: '一\n二' }], [{ text: '三', bold: true as const }]] },
    { kind: 'picture' as const, url, alt: '屋台' },
  ]
  const ofPages = { 'p-about.text': { ...translation, text: `1. One\n\n［写真 ${url} A stall］` } }
  await saveSettings(db, translationsOf('en', 'pages'), { version: 0, facts: ofPages }, author)
  await addPage(db, 'p-about', { ...pageSettingsOf('p-about', null), title: '店のこと', text }, author)
  await addCard(db, 'p-about', { title: '屋台', content: '', image: url }, author)
  const notice = { text: '年末は\n休みません', link: '/calendar', important: true, shownUntil: '2026-12-31T23:59' }
  await saveNotice(db, 'n-1', { version: 0, facts: notice }, author)
  const event = { day: '2026-12-24', title: '会', attendance: true, capacity: '12', deadline: '2026-12-20' }
  await addEvent(db, 'e-1', Event.parse({ ...event, startTime: '18:00', endTime: '20:30' }), author)
  const practice = Event.parse({ ...event, title: '練習', deadlineTime: '18:00' })
  await addSeries(db, 'e-2', { event: practice, recurrence: '毎週', days: ['2026-12-24', '2026-12-31'] }, author)
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

  const exportToFolder = async (db: Db) => {
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
    expect((await listSections(second)).map(({ id, order, hiddenUntil }) => [id, order, hiddenUntil])).toEqual([
      ['section-z', 1, '2026-12-31T05:00'],
      ['section-a', 2, ''],
    ])
    const dishes = (await listCards(second, 'dining', { drafts: true })).filter(({ title }) =>
      /柚子茶|葛湯/.test(title),
    )
    expect(dishes.map(({ title, section, shownUntil }) => [title, section, shownUntil]).sort()).toEqual([
      ['柚子茶', 'section-z', '2026-12-25T21:30'],
      ['葛湯', '', ''],
    ])
    expect(report.oddities.filter((line) => /分類|section|表示する期間/.test(line))).toEqual([])
  })

  onSqlite('reports unusable sections and times of dishes, and imports the dishes', async () => {
    const db = await fresh()
    await saveSection(db, 'taken', { version: 0, facts: { name: '今の分類' } }, author)
    const folder = folderWith({
      'sections.json': [
        { id: 'drinks', name: 'お飲みもの', order: 4, colour: '青' },
        { id: 'bad', name: '', order: 5 },
        { id: 'taken', name: '前の分類', order: 6 },
      ],
      'dining.json': {
        list: {
          jsonData: JSON.stringify([
            { id: 'tea', title: '煎茶', section: 'drinks', shownFrom: '2026-12-01T00:00' },
            { id: 'beer', title: '生ビール', section: 'bad', shownUntil: 'きょう' },
            // An older export has neither sections nor times of display.
            { id: 'rice', title: 'ご飯' },
          ]),
        },
      },
    })
    const report = await importExport(db, readExport(folder), { dryRun: false, now: noon })
    expect(report).toMatchObject({ documents: 4, stored: 2, leftOut: 2, notKept: 0 })
    expect(report.oddities).toEqual([
      expect.stringMatching(/^sections\/drinks: 不明な項目「colour」/),
      expect.stringMatching(/^sections\/bad: 「name」を取り込めません（分類の名前を入力してください）/),
      expect.stringMatching(/^sections\/taken: このIDは使えないか、同じIDの分類がすでにあります/),
      expect.stringMatching(/^dining\/list: 分類（"bad"）が見つかりません/),
      expect.stringMatching(/^dining\/list: 表示する期間（.*きょう.*）を読めません/),
    ])
    const dishes = await listCards(db, 'dining')
    expect(dishes.map(({ id, section, shownFrom, shownUntil }) => [id, section, shownFrom, shownUntil]).sort()).toEqual(
      [
        ['beer', '', '', ''],
        ['rice', '', '', ''],
        ['tea', 'drinks', '2026-12-01T00:00', ''],
      ],
    )
    expect((await listSections(db)).map(({ id, name }) => [id, name])).toEqual([
      ['taken', '今の分類'],
      ['drinks', 'お飲みもの'],
    ])
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

test('exports one state of the site while an editor saves', async () => {
  const file = join(newFolder(), 'site.db')
  const db = await openDatabase({ file })
  onTestFinished(() => db.destroy())
  const editor = new SQLite(file)
  onTestFinished(() => void editor.close())
  let hasSaved = false
  const saveOnce: KyselyPlugin = {
    transformQuery({ node }) {
      if (!hasSaved && JSON.stringify(node).includes('"menuSections"')) {
        hasSaved = true
        editor.exec(`insert into notices values ('n', 1, '休みます', '', 'every', 0, '', '', '', '', null)`)
      }
      return node
    },
    transformResult: async ({ result }) => result,
  }
  const folder = newFolder()
  await exportSite(db.withPlugin(saveOnce), folder)
  expect(hasSaved).toBe(true)
  expect(JSON.parse(readFileSync(join(folder, 'notices.json'), 'utf8'))).toEqual({})
})
