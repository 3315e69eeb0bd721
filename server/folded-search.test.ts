import { expect, onTestFinished, test } from 'vitest'
import { untypedTables } from '../db/engine.ts'
import { connect, migrate } from '../db/open.ts'
import { emptyPostgresUrl, onEachEngine } from '../db/testing.ts'
import { jsonCall, sampleSite } from './testing.ts'

type Site = Awaited<ReturnType<typeof sampleSite>>

// Texts, each with the searches that find the text.
const searchesByText: [text: string, ...searches: string[]][] = [
  ['さくらテニス', 'サクラ', 'ｻｸﾗ', 'さくらてにす', 'ｻｸﾗﾃﾆｽ'],
  ['ハンバーグ', 'はんばーぐ', 'ﾊﾝﾊﾞｰｸﾞ', 'ハンバ−グ', 'ハンバ‐グ', 'ハンバ-グ'],
  ['ヴァイオリン', 'ゔぁいおりん'],
  ['髙橋', '高橋', '髙橋', '髙\u{e0100}橋'],
  ['高島', '髙嶋', '髙嶌'],
  ['山﨑', '山崎', '山嵜'],
  ['濵田', '浜田', '濱田'],
  ['渡邉', '渡辺', '渡邊', '渡邊\u{e0101}'],
  ['葛\u{e0100}城', '葛城'],
  ['齋藤', '斉藤', '斎藤'],
  ['福\ufa1b', '福福'],
  ['𠮷田', '吉田'],
  ['霞ヶ関', '霞ケ関'],
  ['ＫＥＮ❤️', 'ken❤'],
  ['花\u200b子', '花子', '花\u00ad子'],
  ['075ー123ー4567', '075-123', '０７５－１２３', '075−123−4567'],
]
const firstSearches = searchesByText.map(([text, first = '']): [string, string] => [text, first])
const missedSearches = ['ばな', '高梨', 'バーグハン', '095']

/**
 * Asserts that each search on a page finds only its text. `pattern` matches the displayed texts. `ignored` is removed
 * from these texts.
 */
async function expectFound(
  { as }: Site,
  path: string,
  pattern: RegExp,
  { ignored = '', searches = searchesByText } = {},
) {
  const shownAt = async (q: string) => {
    const html = await (await as('administrator', `${path}?${new URLSearchParams({ q })}`)).text()
    return [...html.matchAll(pattern)].map(([, text = '']) => text.replace(ignored, ''))
  }
  for (const [text, ...others] of searches)
    for (const search of others) expect([search, await shownAt(search)]).toEqual([search, [text.replace(ignored, '')]])
  for (const search of missedSearches) expect([search, await shownAt(search)]).toEqual([search, []])
}

onEachEngine((fresh, engine) => {
  // The searches of a text are folded to the same pattern, so one search of each text suffices on PostgreSQL.
  const searches = engine === 'SQLite' ? searchesByText : firstSearches

  test('finds members when the search has another kana, width, dash or kanji variant', async () => {
    const site = await sampleSite(await fresh())
    const { applicant } = await site.people()
    const applicants = site.db
      .selectFrom('members')
      .selectAll()
      .where('id', '=', applicant?.member?.id ?? '')
    const row = await applicants.executeTakeFirstOrThrow()
    const named = searchesByText.map(([username], index) => ({
      ...row,
      ...{ id: `m${index}`, accountId: `a${index}`, accountnameKey: `k${index}`, accountname: '', username },
    }))
    await site.db.insertInto('members').values(named).execute()
    await expectFound(site, '/memberlist', /<article[^>]*aria-label="([^"]+)"/g, { searches })
  })

  test('finds messages when the search has another kana, width, dash or kanji variant', async () => {
    const site = await sampleSite(await fresh())
    await site.people()
    for (const [subject] of searchesByText) {
      site.clock.now += 3_600_000
      const sent = await site.get('/api/mail', jsonCall({ to: 'shop', subject: `件名 ${subject}`, text: '本文' }))
      expect(sent.status).toBe(200)
    }
    await expectFound(site, '/inbox', /<h2 id="subject-[^>]*>件名 ([^<]*)</g, { ignored: '\u200b', searches })
  })

  test('finds messages that an earlier version has stored', async () => {
    const db = await connect(engine === 'SQLite' ? { file: ':memory:' } : { url: await emptyPostgresUrl(), file: '' })
    onTestFinished(() => db.destroy())
    await migrate(db, '0029-portrait-slides')
    const message = { recipient: 'shop', text: '', spam: false, createdAt: '2026-11-01T00:00:00.000Z' }
    const rows = Array.from({ length: 501 }, (_, each) => {
      const subject = searchesByText[each % searchesByText.length]?.[0] ?? ''
      const searchText = `${subject.normalize('NFKC').toLowerCase()}\n\n`
      return { ...message, id: `message-${each}`, subject, searchText }
    })
    await untypedTables(db).insertInto('messages').values(rows).execute()
    await migrate(db)
    const site = await sampleSite(db)
    await site.people()
    for (const [, q = ''] of firstSearches) {
      const html = await (await site.as('administrator', `/inbox?${new URLSearchParams({ q })}`)).text()
      expect([q, /(3[12])件見つかりました/.test(html)]).toEqual([q, true])
    }
  })
})
