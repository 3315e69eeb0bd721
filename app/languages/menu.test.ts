import { describe, expect, test } from 'vitest'
import { freshSqlite } from '../../db/testing.ts'
import { fillSampleShopWithMenu } from '../../server/sample-menu.ts'
import { noon, sampleSite } from '../../server/testing.ts'
import { findUnmarkedJapanese } from '../../server/testing-japanese.ts'
import { readMetadata } from '../../server/testing-metadata.ts'
import { allergens } from '../cards/allergens.ts'
import { addCard, listCards, markSoldOut } from '../cards/cards.server.ts'
import { marks } from '../cards/marks.ts'
import { priceWords } from '../cards/price.ts'
import { recommendedAllergens } from '../cards/recommended-allergens.ts'
import { readPageToEdit, savePage } from '../pages/pages.server.ts'
import { saveSettings } from '../records/settings-record.server.ts'
import { listSections } from '../sections/sections.server.ts'
import { readSiteToEdit, saveSite } from '../settings/site.server.ts'
import { keyOf, type Translations } from '../translations/translation.ts'
import { translationsOf } from '../translations/translation-record.server.ts'
import english from './en.json' with { type: 'json' }

const author = { accountId: null, at: '2026-11-20T00:00:00.000Z' }

const createSite = async ({ otherLanguages = true } = {}) => {
  const db = await freshSqlite()
  await fillSampleShopWithMenu(db, { wanted: true, now: noon })
  const sample = await sampleSite(db)
  const { version } = await readSiteToEdit(db)
  await saveSite(db, { version, facts: { otherLanguages } }, author)
  const dishes = await listCards(db, 'dining')
  const sections = await listSections(db)
  const dishId = (title: string) => dishes.find((dish) => dish.title === title)?.id ?? ''
  const translate = async (texts: [id: string, field: string, source: string, text: string][]) => {
    const facts: Translations = Object.fromEntries(
      texts.map(([id, field, source, text]) => [keyOf(id, field), { source, text, at: author.at }]),
    )
    await saveSettings(db, translationsOf('en', 'dining'), { version: 0, facts }, author)
  }
  return { ...sample, dishes, sections, dishId, translate }
}

describe('the English menu', () => {
  test.each([
    '/en/dining',
    `/en/dining?${new URLSearchParams({ without: '卵' })}&${new URLSearchParams({ without: '菜食でないもの' })}`,
    '/en/dining/print',
    '/en/dining/print?format=a5',
    '/en/dining/print?format=card',
  ])('marks all Japanese texts at %s', async (path) => {
    const { db, text, dishes } = await createSite()
    await markSoldOut(db, dishes[0]?.id ?? '', true, author)
    await markSoldOut(db, dishes.at(-1)?.id ?? '', true, author)
    await addCard(db, 'dining', { title: '鮎の塩焼き', price: '時価', marks: marks.join('、') }, author)
    await addCard(db, 'dining', { title: '豆腐', allergens: '卵、大豆', allergensConfirmed: true }, author)
    expect(findUnmarkedJapanese(await text(path))).toEqual([])
  })

  test('has an English name for each allergen, mark and word for a price', () => {
    const names = [...allergens, ...recommendedAllergens, ...marks, ...priceWords]
    expect(names.filter((name) => !(name in english.texts))).toEqual([])
  })

  test('shows prices with translated labels and the tax', async () => {
    const { text, translate, dishId } = await createSite()
    await translate([[dishId('賀茂茄子の田楽'), 'price', '半分 / 一つ', 'Half / Whole']])
    const page = await text('/en/dining')
    expect(page).toContain('<span>Half ¥600</span><span>Whole ¥1,100</span>')
    expect(page).toContain('<span>Glass ¥700</span>')
    expect(page).toContain('<small>(tax included)</small>')
    expect(page).not.toMatch(/[\d>]円/)
  })

  test('lists allergens, marks and the times of sections in English', async () => {
    const { db, text } = await createSite()
    await addCard(db, 'dining', { title: '豆腐', allergens: '卵、大豆', marks: '菜食、季節限定' }, author)
    await addCard(db, 'dining', { title: '湯葉', allergens: '大豆', allergensConfirmed: true }, author)
    const page = await text('/en/dining')
    expect(page).toContain('Allergens: Egg, Soybean (please ask our staff about others)')
    expect(page).toContain('Made without: Shrimp, Crab, Walnut, Wheat, Buckwheat, Egg, Milk, Peanut, Cashew nut')
    expect(page).toContain('>Vegetarian, Seasonal<')
    expect(page).toContain('Serving now (11:30–14:00)')
  })

  test('filters dishes by the same parameters as the Japanese menu', async () => {
    const { text } = await createSite()
    const query = `?${new URLSearchParams({ without: '卵' })}`
    const counts = async (path: string) => (await text(path)).match(/id="card-/g)?.length
    expect(await counts(`/en/dining${query}`)).toBe(await counts(`/dining${query}`))
    const page = await text(`/en/dining${query}`)
    expect(page).toMatch(/<input[^>]*checked=""[^>]*>Egg<\/label>/)
    expect(page).toMatch(/<p>Hiding \d+ of \d+ dishes\.<\/p>/)
    expect(page).toMatch(/<a href="\/en\/dining"[^>]*>Show all</)
  })

  test('has its names, language and address in the metadata for search engines', async () => {
    const { text, translate, sections, dishId } = await createSite()
    const drinks = sections.find(({ name }) => name === 'お飲みもの')?.id ?? ''
    await translate([
      [drinks, 'name', 'お飲みもの', 'Drinks'],
      [dishId('冷やし抹茶'), 'title', '冷やし抹茶', 'Iced matcha'],
    ])
    const menuAt = async (path: string) => readMetadata(await text(path)).find((item) => item['@type'] === 'Menu')
    const menu = await menuAt('/en/dining')
    expect(menu).toMatchObject({ '@id': 'http://localhost/en/dining', inLanguage: 'en' })
    const json = JSON.stringify(menu)
    expect(json).toContain('"name":"Drinks"')
    expect(json).toContain('"name":"Iced matcha"')
    expect(json).toContain('{"@type":"Offer","name":"Glass","price":700,"priceCurrency":"JPY"}')
    expect(await menuAt('/dining')).toMatchObject({ '@id': 'http://localhost/dining', inLanguage: 'ja' })
  })

  test('has no vertical print format, and redirects to A4 instead', async () => {
    const { get, text, sections } = await createSite()
    const section = sections[1]?.id
    const response = await get(`/en/dining/print?format=vertical&section=${section}`)
    expect(response.status).toBe(302)
    expect(response.headers.get('location')).toBe(`/en/dining/print?format=a4&section=${section}`)
    expect(await text('/en/dining/print')).not.toContain('format=vertical')
    expect(await text('/dining/print')).toContain('format=vertical')
  })
})

describe('the QR code of the menu', () => {
  test.each([
    ['en-US,en;q=0.9,ja;q=0.8', '/en/dining'],
    ['ja,en-US;q=0.9,en;q=0.8', '/dining'],
    ['en;q=0.4, ja-JP;q=0.6', '/dining'],
    ['fr-FR,fr;q=0.9,en;q=0.8', '/en/dining'],
    ['ko-KR', '/dining'],
    ['en;q=0, *', '/dining'],
    ['', '/dining'],
    ['"\\,;;q=x, -, en--, ÿ', '/dining'],
    [Array.from({ length: 2000 }, (_, index) => `zz-${index}`).join(), '/dining'],
  ])('leads a browser with the languages %j to %s', async (languages, location) => {
    const { get } = await createSite()
    const response = await get('/q/dining', { headers: { 'accept-language': languages } })
    expect(response.status).toBe(302)
    expect(response.headers.get('location')).toBe(location)
    expect(response.headers.get('vary')).toBe('Accept-Language')
    expect(response.headers.get('cache-control')).toBe('no-store')
  })

  test('is an unknown path without other languages or a menu', async () => {
    const { get, text } = await createSite({ otherLanguages: false })
    expect((await get('/q/dining')).headers.get('location')).toBe('/dining')
    expect(await text('/dining/print?format=card')).toContain('http://localhost/dining</p>')
    const { get: getHidden, db } = await createSite()
    expect((await getHidden('/q/dining')).status).toBe(302)
    const version = (await readPageToEdit(db, 'dining'))?.version ?? 0
    await savePage(db, 'dining', { version, facts: { shown: false } }, author)
    expect((await getHidden('/q/dining')).status).toBe(404)
  })

  test.each(['/dining/print?format=card', '/en/dining/print?format=card'])(
    'has the address that chooses the language on the table card at %s',
    async (path) => {
      const { text } = await createSite()
      expect(await text(path)).toContain('http://localhost/q/dining</p>')
    },
  )
})
