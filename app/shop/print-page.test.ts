import { describe, expect, test } from 'vitest'
import { sampleSite } from '../../server/testing.ts'
import { loaderDataOf } from '../../server/testing-action-data.ts'
import { addCard, deleteCard, listCards, markSoldOut } from '../cards/cards.server.ts'
import { readPageToEdit, savePage } from '../pages/pages.server.ts'
import { emptySection, hideSection, saveSection } from '../sections/sections.server.ts'

const author = { accountId: null, at: '2026-11-20T00:00:00.000Z' }
const sections = { fish: '6f7c2f6e-0000-4000-8000-000000000001', sake: '6f7c2f6e-0000-4000-8000-000000000002' }

const site = async () => {
  const sample = await sampleSite()
  await sample.people()
  for (const { id, version } of await listCards(sample.db, 'dining', { drafts: true }))
    await deleteCard(sample.db, { id, version }, author)
  return {
    ...sample,
    add: (fields: Parameters<typeof addCard>[2]) => addCard(sample.db, 'dining', fields, author),
    html: async (query = '', person: Parameters<typeof sample.as>[0] = 'guest') =>
      (await sample.as(person, `/dining/print${query}`)).text(),
  }
}

/** Returns a site with two sections, a dish without a section, and three dishes that guests do not see. */
const siteWithSections = async () => {
  const menu = await site()
  const facts = { ...emptySection, introduction: '' }
  await saveSection(menu.db, sections.fish, { version: 0, facts: { ...facts, name: 'お造り' } }, author)
  await saveSection(menu.db, sections.sake, { version: 0, facts: { ...facts, name: '日本酒' } }, author)
  await menu.add({ title: '突き出し', price: '400' })
  await menu.add({ title: '鯛のお造り', price: '1200', section: sections.fish, allergens: 'えび', marks: '数量限定' })
  await menu.add({ title: '玉乃光', price: '一合 900、二合 1700', section: sections.sake })
  await menu.add({ title: '試作の一皿', draft: true })
  await menu.add({ title: '師走の鍋', shownFrom: '2026-12-01T00:00' })
  return menu
}

describe('/dining/print', () => {
  test('shows the sections, prices and allergens with the name, the logo and the date', async () => {
    const { html } = await siteWithSections()
    const page = await html()
    expect(page).toMatch(/<img src="\/seal\/\w+\/icon-512.png"[^>]*><h2>ダイニング結<\/h2>/)
    expect(page).toMatch(/突き出し.*>400円<.*<h3>お造り<\/h3>.*鯛のお造り.*>1,200円<.*<h3>日本酒<\/h3>.*玉乃光/s)
    expect(page).toContain('<span>一合 900円</span><span>二合 1,700円</span>')
    expect(page).toContain('数量限定　アレルギー：えび（ほかはスタッフにお尋ねください）')
    expect(page).toContain('表示価格は税込です。')
    expect(page).toContain('2026年11月20日現在')
  })

  test('shows no draft, no future dish and no hidden section to guests or editors', async () => {
    const { html, db } = await siteWithSections()
    await hideSection(db, sections.sake, '2026-11-21T05:00', author)
    for (const person of ['guest', 'administrator'] as const) {
      const page = await html('', person)
      expect(page, person).toContain('鯛のお造り')
      expect(page, person).not.toMatch(/試作の一皿|師走の鍋|日本酒|玉乃光/)
    }
  })

  test('updates an open page when the display of a dish begins', async () => {
    const { get } = await siteWithSections()
    const data = await loaderDataOf<{ changesAt: string }>(await get('/dining/print.data'), 'shop/print-page')
    expect(data.changesAt).toBe('2026-12-01T00:00')
  })

  test('shows a dish that is sold out today', async () => {
    const { html, db, add } = await site()
    await markSoldOut(db, await add({ title: '鯖寿司', price: '850' }), true, author)
    const page = await html()
    expect(page).toContain('鯖寿司')
    expect(page).not.toContain('売り切れ')
  })

  test('shows only the chosen section, and keeps the choice in the links to the other formats', async () => {
    const { html } = await siteWithSections()
    const page = await html(`?format=a5&section=${sections.fish}`)
    expect(page).toContain('鯛のお造り')
    expect(page).not.toMatch(/突き出し|玉乃光/)
    expect(page).toContain(`?format=vertical&amp;section=${sections.fish}`)
    expect(page).toMatch(new RegExp(`<option value="${sections.fish}" selected`))
  })

  test.each(['?format=a3', '?section=none', `?section=${sections.sake}`])(
    'shows the whole A4 list at %s',
    async (query) => {
      const { html, db } = await siteWithSections()
      await hideSection(db, sections.sake, '2026-11-21T05:00', author)
      const page = await html(query)
      expect(page).toMatch(/aria-current="page"[^>]*>価格表（A4）/)
      expect(page).toMatch(/突き出し.*鯛のお造り/s)
    },
  )

  test('shows one list without headings when there are no sections', async () => {
    const { html, add } = await site()
    await add({ title: '時季のお造り', price: '時価' })
    const page = await html()
    expect(page).toMatch(/時季のお造り.*>時価</s)
    expect(page).not.toMatch(/<h3>|印刷する分類|税込/)
  })

  test('shows the sentence of an empty page when there are no dishes', async () => {
    const { html } = await site()
    expect(await html()).toContain('準備しております')
  })

  test('writes prices in kanji on the vertical menu, and turns short numbers upright', async () => {
    const { html, add } = await site()
    await add({ title: '純米酒3種', price: '小 800、大 12000' })
    const page = await html('?format=vertical')
    expect(page).toContain('<span>小　八〇〇円</span><span>大　一二、〇〇〇円</span>')
    expect(page).toMatch(/純米酒<span class="[^"]*">3<\/span>種/)
  })

  test('shows a QR code of the address of /dining on the table card, without dishes', async () => {
    const { html } = await siteWithSections()
    const page = await html('?format=card')
    expect(page).toContain('http://localhost/dining</p>')
    expect(page).toMatch(/aria-label="お品書きのQRコード"[^>]*><path d="M/)
    expect(page).not.toMatch(/鯛のお造り|印刷する分類/)
  })

  test('is hidden from guests when /dining is hidden', async () => {
    const { as, db } = await site()
    const version = (await readPageToEdit(db, 'dining'))?.version ?? 0
    await savePage(db, 'dining', { version, facts: { shown: false } }, author)
    expect((await as('guest', '/dining/print')).status).toBe(404)
    expect((await as('administrator', '/dining/print')).status).toBe(200)
  })

  test('is not in search engines or in the sitemap', async () => {
    const { html, text } = await site()
    expect(await html()).toContain('<meta name="robots" content="noindex"/>')
    expect(await text('/sitemap.xml')).not.toContain('/dining/print')
  })

  test('shows each change to guests, in every format', async () => {
    const { html, add } = await site()
    for (const query of ['', '?format=a5', '?format=vertical']) expect(await html(query)).not.toContain('湯豆腐')
    await add({ title: '湯豆腐', price: '900' })
    for (const query of ['', '?format=a5', '?format=vertical']) expect(await html(query), query).toContain('湯豆腐')
  })
})
