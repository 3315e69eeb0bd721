import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { sampleSite } from '../../server/testing.ts'
import { decodeHtml, sectionOfSite } from '../../server/testing-forms.ts'
import { Telephones } from '../ui/telephones.tsx'
import { cleanLine } from '../ui/typed-text.ts'
import { publicSettings } from './public-settings.server.ts'
import { readSiteToEdit } from './site.server.ts'
import { SiteSettings } from './site.ts'

// The typed text, the displayed text, and the linked numbers if they differ from the displayed text.
const telephones: [typed: string, shown: string, links?: string[]][] = [
  ['０７５−１２３−４５６７', '075-123-4567'],
  ['075ー123ー4567', '075-123-4567'],
  ['075-123-4567（代）', '075-123-4567（代）', ['0751234567']],
  ['（075）123-4567', '075-123-4567'],
  ['\u202d075-123-4567\u202c', '075-123-4567'],
  ['電話：075-123-4567', '075-123-4567'],
  ['0120-123-456 / 090-1111-2222', '0120-123-456 / 090-1111-2222', ['0120123456', '09011112222']],
  ['0120-123-456/090-1111-2222', '0120-123-456/090-1111-2222', ['0120123456', '09011112222']],
  ['075-123-4567、075-765-4321', '075-123-4567、075-765-4321', ['0751234567', '0757654321']],
  ['075-123-4567または090-1111-2222', '075-123-4567または090-1111-2222', ['0751234567', '09011112222']],
  ['075-000-0000', '075-000-0000'],
  ['0756711111', '075-671-1111'],
  ['０７５６７１１１１１', '075-671-1111'],
  ['0335811111', '03-3581-1111'],
  ['0666131111', '06-6613-1111'],
  ['0771221234', '0771-22-1234'],
  ['0774-22-1234', '0774-22-1234'],
  ['0422221234', '0422-22-1234'],
  ['0422-12-3456', '0422-12-3456'],
  ['0263343000', '0263-34-3000'],
  ['0499221234', '04992-2-1234'],
  ['0429221234', '04-2922-1234'],
  ['0120444113', '0120-444-113'],
  ['0120 444 113', '0120-444-113'],
  ['０１２０（４４４）１１３', '0120-444-113'],
  ['08001234567', '0800-123-4567'],
  ['0570-001-234', '0570-001-234'],
  ['09012345678', '090-1234-5678'],
  ['０９０１２３４５６７８', '090-1234-5678'],
  ['080.1234.5678', '080-1234-5678'],
  ['070 1234 5678', '070-1234-5678'],
  ['090-12345678', '090-1234-5678'],
  ['05055551234', '050-5555-1234'],
  ['075(123)4567', '075-123-4567'],
  ['(075) 123-4567', '075-123-4567'],
  ['(075)1234567', '075-123-4567'],
  ['０７５（１２３）４５６７', '075-123-4567'],
  ['075　123　4567', '075-123-4567'],
  ['075 - 123 - 4567', '075-123-4567'],
  ['075‐123‐4567', '075-123-4567'],
  ['075‑123‑4567', '075-123-4567'],
  ['075–123–4567', '075-123-4567'],
  ['075—123—4567', '075-123-4567'],
  ['075―123―4567', '075-123-4567'],
  ['075─123─4567', '075-123-4567'],
  ['075ｰ123ｰ4567', '075-123-4567'],
  ['075－123－4567', '075-123-4567'],
  ['075・123・4567', '075-123-4567'],
  ['075-123-4567・4568', '075-123-4567・4568', ['0751234567']],
  ['075-123-4567〜9', '075-123-4567〜9', ['0751234567']],
  ['075-123-4567 内線12', '075-123-4567 内線12', ['0751234567']],
  ['090-1234-5678（店主）', '090-1234-5678（店主）', ['09012345678']],
  ['予約専用 050-5555-1234', '予約専用 050-5555-1234', ['05055551234']],
  ['TEL.075-123-4567 FAX.075-123-4568', '075-123-4567 FAX.075-123-4568', ['0751234567', '0751234568']],
  ['Tel: 0751234567', '075-123-4567'],
  ['☎075-123-4567', '075-123-4567'],
  ['℡ 075-123-4567', '075-123-4567'],
  ['お電話 075-123-4567', '075-123-4567'],
  ['\u200b0751234567\ufeff', '075-123-4567'],
  ['+81 75-123-4567', '+81-75-123-4567'],
  ['+81(0)75-123-4567', '+81-75-123-4567'],
  ['＋８１−７５−１２３−４５６７', '+81-75-123-4567'],
  ['+81751234567', '+81-75-123-4567'],
  ['+1 212-555-0100', '+1-212-555-0100'],
  ['+82-2-1234-5678', '+82-2-1234-5678'],
  ['075-123-4567 (10:00〜18:00)', '075-123-4567 (10:00〜18:00)', ['0751234567']],
  ['110', '110', []],
  ['ただいま準備中です', 'ただいま準備中です', []],
]

// The typed text, and the displayed text after 〒.
const postalCodes: [typed: string, shown: string][] = [
  ...[
    ...[
      '604-8001',
      '6048001',
      '〒604-8001',
      '〒6048001',
      '〒 604-8001',
      '〒〒604-8001',
      '〶604-8001',
      '郵便番号604-8001',
    ],
    ...[
      '郵便番号：604-8001',
      '〒：604-8001',
      '(〒604-8001)',
      '（604-8001）',
      '「604-8001」',
      'JP-604-8001',
      'T604-8001',
    ],
    ...[
      '６０４－８００１',
      '６０４８００１',
      '６０４ー８００１',
      '６０４−８００１',
      '６０４‐８００１',
      '６０４―８００１',
    ],
    ...[
      '〒６０４－８００１',
      '〒６０４ー８００１',
      '〒　６０４−８００１',
      '６０４　８００１',
      '６０４-８００１',
      '604－8001',
    ],
    ...['604ー8001', '604−8001', '604–8001', '604—8001', '604‐8001', '604‑8001', '604―8001', '604─8001', '604ｰ8001'],
    ...[
      '604 8001',
      '604　8001',
      '604 - 8001',
      '604ー 8001',
      '604--8001',
      '604_8001',
      '604.8001',
      '604・8001',
      '604/8001',
    ],
    ...['604の8001', '604~8001', '604〜8001', ' 604-8001 ', '　604-8001　', '604-8001。', '604-8001\u200b'],
    ...[
      '\u202a604-8001\u202c',
      '\u200b〒604-8001',
      '\ufeff604-8001',
      '604\u00ad8001',
      '604\u2060-\u20608001',
      '〒604-8001〒',
    ],
  ].map((typed): [string, string] => [typed, '604-8001']),
  ['604-8001 京都市', '604-8001 京都市'],
  ['060-0001', '060-0001'],
  ['〒060', '060'],
  ['60480011', '60480011'],
  ['SW1A 1AA', 'SW1A 1AA'],
  ['90210-1234', '90210-1234'],
]

const textOf = (html: string) => decodeHtml(html.replace(/<br\/>/g, ' ').replace(/<[^>]*>/g, ''))
const linksIn = (html: string) => [...html.matchAll(/<a href="tel:([^"]*)">/g)].map(([, digits]) => digits)
const itemAt = <T>(list: T[], index: number) => list[index % list.length] as T
const digitsOf = (shown: string) => shown.replaceAll('-', '')

test('publicSettings returns every telephone number and postal code in the usual format', () => {
  const settings = (facts: Partial<SiteSettings>) => publicSettings({ ...SiteSettings.parse({}), ...facts })
  for (const [typed, shown, links = [digitsOf(shown)]] of telephones) {
    const { telephone } = settings({ telephone: cleanLine(typed) })
    const html = renderToStaticMarkup(createElement(Telephones, { text: telephone }))
    expect([typed, telephone, textOf(html), linksIn(html)]).toEqual([typed, shown, shown, links])
  }
  for (const [typed, shown] of postalCodes)
    expect([typed, settings({ postalCode: cleanLine(typed) }).postalCode]).toEqual([typed, shown])
})

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  const openSite = async () => {
    const { db, post, as, people } = await sampleSite(await fresh())
    await people()
    const stored = async () => (await readSiteToEdit(db)).facts
    const save = async (fields: Record<string, string>) => {
      const form = sectionOfSite(await readSiteToEdit(db), fields)
      expect((await post('administrator', '/site', form)).status).toBe(200)
    }
    const read = async (path: string) => {
      const html = (await (await as('guest', path)).text()).replaceAll('<!-- -->', '')
      const [main = ''] = /<main.*<\/main>/s.exec(html) ?? []
      const [footer = ''] = /<footer.*<\/footer>/s.exec(html) ?? []
      const [, json = '{}'] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(html) ?? []
      return { main, footer, restaurant: JSON.parse(json) }
    }
    return { db, post, as, stored, save, read }
  }

  onSqlite('stores telephone number and postal code as typed, and displays both in the usual format', async () => {
    const { save, stored, read } = await openSite()
    await save({ address: '木屋町1' })
    const [actual, expected]: unknown[][] = [[], []]
    // The first test has all texts. These few have a number, a number with text, two numbers or no number.
    for (const typed of [
      '０７５−１２３−４５６７',
      '075-123-4567（代）',
      '0120-123-456 / 090-1111-2222',
      'ただいま準備中です',
    ]) {
      const index = telephones.findIndex(([telephone]) => telephone === typed)
      const [telephone, shown, links = [digitsOf(shown)]] = itemAt(telephones, index)
      const [postalCode, shownCode] = itemAt(postalCodes, index)
      await save({ telephone, postalCode })
      const { main, footer, restaurant } = await read('/access')
      const [, inMain] = /<h2>電話<\/h2><p[^>]*>(.*?)<\/p>/.exec(main) ?? []
      const [, inFooter] = /電話 (.*?)<\/p>/.exec(footer) ?? []
      const printed = [inMain, inFooter].map((html = '') => [textOf(html), linksIn(html)])
      const printedCodes = [main, footer].map((html) => /<address[^>]*>(.*?木屋町1)/.exec(html)?.[1] ?? '').map(textOf)
      const facts = await stored()
      actual?.push([facts.telephone, ...printed, restaurant.telephone])
      actual?.push([facts.postalCode, ...printedCodes, restaurant.address?.postalCode])
      const national = /\+?\d[\d-]{8,}/.exec(shown)?.[0]
      expected?.push([cleanLine(telephone), [shown, links], [shown, links], national?.replace(/^0/, '+81-')])
      expected?.push([cleanLine(postalCode), ...Array(2).fill(`〒${shownCode} 木屋町1`), shownCode])
    }
    expect(actual).toEqual(expected)
  })

  describe('telephone number of the shop', () => {
    onSqlite('is a link on every page that contains the number', async () => {
      const { save, read } = await openSite()
      await save({ telephone: '０７５−１２３−４５６７（代）' })
      for (const path of ['/', '/infomation', '/access', '/mail', '/privacy', '/dining']) {
        const { main, footer } = await read(path)
        const printed = /(?:infomation|access|mail|privacy)/.test(path) ? 1 : 0
        expect(linksIn(main), path).toEqual(Array(printed).fill('0751234567'))
        expect(textOf(main).split('075-123-4567（代）'), path).toHaveLength(printed + 1)
        expect(linksIn(footer), path).toEqual(['0751234567'])
      }
    })

    onSqlite('has hyphens in the response to a visitor who sends too many messages', async () => {
      const { save, post } = await openSite()
      await save({ telephone: '０７５６７１１１１１' })
      const message = { to: 'shop', subject: '席のご相談', text: '五名です。', from: 'hana@example.jp', homepage: '' }
      const send = async () => (await post('guest', '/mail', { ...message, shownAt: '1' })).text()
      for (let sent = 0; sent < 5; sent += 1) await send()
      expect(await send()).toContain('お電話（075-671-1111）でお願いいたします')
    })
  })

  describe('postal code of the shop', () => {
    onSqlite.each([
      ['', '〒604-8001 京都市中京区木屋町1'],
      ['604-8001', '〒６０４−８００１　京都市中京区木屋町1'],
      ['604-8001', '604-8001京都市中京区木屋町1'],
    ])('is displayed only once when it is typed as %j and the postal address is %j', async (postalCode, address) => {
      const { save, read } = await openSite()
      await save({ postalCode, address })
      const { main, restaurant } = await read('/infomation')
      expect(textOf(main)).toContain('住所〒604-8001 京都市中京区木屋町1電話')
      expect(JSON.stringify(restaurant.address)).toMatch(/^(?!.*〒).*"postalCode":"604-8001".*"[^"\d]*1"/)
    })
  })

  test('links the telephone numbers in the member list', async () => {
    const { db, as } = await openSite()
    await db.updateTable('members').set({ telNum: '０９０１２３４５６７８（夜のみ）' }).execute()
    const html = await (await as('administrator', '/memberlist')).text()
    expect(html).toMatch(/<a href="tel:09012345678">090-1234-5678<\/a>(?:<!-- -->)?（夜のみ）/)
    expect(await (await as('approved', '/memberlist')).text()).toContain('090-1234-5678')
  })
})
