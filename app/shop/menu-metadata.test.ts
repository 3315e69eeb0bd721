import { describe, expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { sampleSite } from '../../server/testing.ts'
import { createFormVisitor, unticked } from '../../server/testing-forms.ts'
import { readMetadata } from '../../server/testing-metadata.ts'
import type { Person } from '../../server/tools/demo.ts'
import type { CardFields } from '../cards/card.ts'
import { addCard } from '../cards/cards.server.ts'
import type { SectionFacts } from '../sections/section.ts'
import { deleteSection, hideSection, saveSection } from '../sections/sections.server.ts'

const author = { accountId: null, at: '2026-11-20T00:00:00.000Z' }
const context = { '@context': 'https://schema.org' }
const offer = (price: number, name?: string) => ({
  '@type': 'Offer',
  ...(name && { name }),
  price,
  priceCurrency: 'JPY',
})
const item = (name: string, others: object = {}) => ({ '@type': 'MenuItem', name, ...others })

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  const openSite = async () => {
    const sample = await sampleSite(await fresh())
    await sample.people()
    const { db, as } = sample
    await db.deleteFrom('cards').where('collection', '=', 'dining').execute()
    let order = 0
    const addDish = (dish: Partial<CardFields>) => addCard(db, 'dining', { order: order++, ...dish }, author)
    const addSection = async (facts: Partial<SectionFacts>) => {
      const id = crypto.randomUUID()
      await saveSection(db, id, { version: 0, facts }, author)
      return id
    }
    const readHtml = async (person: Person = 'guest', path = '/dining') => (await as(person, path)).text()
    const read = async (person?: Person, path?: string) => {
      const [restaurant, menu, ...others] = readMetadata(await readHtml(person, path))
      expect(others).toEqual([])
      return { restaurant, menu }
    }
    /** Returns all names in the menu for search engines, in their order. */
    const readNames = async (person: Person) =>
      [...JSON.stringify((await read(person)).menu ?? {}).matchAll(/"MenuItem","name":"(.*?)"/g)].map(
        ([, name]) => name,
      )
    return { ...sample, ...createFormVisitor(sample, 'administrator'), addDish, addSection, readHtml, read, readNames }
  }

  describe('the metadata of the menu', () => {
    test('contains the dishes with prices and diets by section, and the range of prices', async () => {
      const { addDish, addSection, read } = await openSite()
      const food = await addSection({ name: 'おばんざい', introduction: '季節の小鉢です。' })
      const drinks = await addSection({ name: 'お飲みもの' })
      await addSection({ name: '甘味' })
      const image = '/art/dish-soba-800.jpg'
      await addDish({
        title: '生麩田楽',
        content: '白味噌で。',
        price: '650',
        marks: 'ヴィーガン',
        section: food,
        image,
      })
      await addDish({ title: '鱧', price: '時価', marks: '季節限定', section: food })
      await addDish({ title: '玉乃光', price: '一合 900、二合 4200', marks: 'アルコール', section: drinks })
      await addDish({ title: '湯豆腐', price: '1200', marks: '菜食、魚のだし' })
      for (const person of ['guest', 'administrator'] as const) {
        const { restaurant, menu } = await read(person)
        expect(restaurant).toMatchObject({ hasMenu: 'http://localhost/dining', priceRange: '¥650〜¥4,200' })
        expect(menu).toEqual({
          ...context,
          '@type': 'Menu',
          '@id': 'http://localhost/dining',
          name: 'お料理',
          inLanguage: 'ja',
          hasMenuItem: [
            item('湯豆腐', { offers: [offer(1200)], suitableForDiet: ['https://schema.org/VegetarianDiet'] }),
          ],
          hasMenuSection: [
            {
              '@type': 'MenuSection',
              name: 'おばんざい',
              description: '季節の小鉢です。',
              hasMenuItem: [
                item('生麩田楽', {
                  description: '白味噌で。',
                  image: 'http://localhost/art/dish-soba-800.jpg',
                  offers: [offer(650)],
                  suitableForDiet: ['https://schema.org/VegetarianDiet', 'https://schema.org/VeganDiet'],
                }),
                item('鱧'),
              ],
            },
            {
              '@type': 'MenuSection',
              name: 'お飲みもの',
              hasMenuItem: [item('玉乃光', { offers: [offer(900, '一合'), offer(4200, '二合')] })],
            },
          ],
        })
      }
      // Other pages have the restaurant with the URL of the menu, but not the menu.
      expect(await read('guest', '/')).toEqual({
        restaurant: expect.objectContaining({ '@type': 'Restaurant', hasMenu: 'http://localhost/dining' }),
        menu: undefined,
      })
    })

    test('contains only the dishes that guests see at the moment, also for editors', async () => {
      const { db, clock, addDish, addSection, readNames } = await openSite()
      const [shown, hidden, coming] = [
        await addSection({ name: 'お昼' }),
        await addSection({ name: '休みの分類' }),
        await addSection({ name: 'お正月', shownFrom: '2027-01-01T00:00' }),
      ]
      await hideSection(db, hidden, '2026-11-21T05:00', author)
      for (const [title, dish] of Object.entries({
        蕎麦: { section: shown },
        下書き: { section: shown, draft: true },
        夜から: { section: shown, shownFrom: '2026-11-20T18:00' },
        朝まで: { section: shown, shownUntil: '2026-11-20T10:00' },
        休み: { section: hidden },
        雑煮: { section: coming },
      }))
        await addDish({ title, price: '500', ...dish })
      const expectNames = async (now: string, names: string[]) => {
        clock.now = Date.parse(`${now}+09:00`)
        for (const person of ['guest', 'approved', 'administrator'] as const)
          expect(await readNames(person), `${now} ${person}`).toEqual(names)
      }
      await expectNames('2026-11-20T12:00', ['蕎麦'])
      await expectNames('2026-11-20T18:00', ['蕎麦', '夜から'])
      await expectNames('2026-11-21T05:00', ['蕎麦', '夜から', '休み'])
      await expectNames('2027-01-01T00:00', ['蕎麦', '夜から', '休み', '雑煮'])
    })

    onSqlite('contains the dishes of a deleted section outside of the sections', async () => {
      const { db, addDish, addSection, read } = await openSite()
      const [kept, deleted] = [await addSection({ name: 'お昼' }), await addSection({ name: '削除した分類' })]
      await addDish({ title: '蕎麦', section: kept })
      await addDish({ title: '田楽', section: deleted })
      await deleteSection(db, { id: deleted, version: 1 }, author)
      const { menu } = await read()
      expect(menu).toMatchObject({ hasMenuItem: [item('田楽')], hasMenuSection: [{ hasMenuItem: [item('蕎麦')] }] })
      expect(JSON.stringify(menu)).not.toContain('削除した分類')
    })

    onSqlite('contains texts with quotes and markup unchanged, without ending the script', async () => {
      const { addDish, addSection, read, readHtml } = await openSite()
      const text = '</script><script>ran = 1</script> "引用" \\ \u2028 <!-- &amp; 結\''
      const section = await addSection({ name: text, introduction: text })
      await addDish({ title: text, content: text, section, price: `${text} 500` })
      expect((await read()).menu).toMatchObject({
        hasMenuSection: [{ name: text, description: text, hasMenuItem: [{ name: text, description: text }] }],
      })
      expect(await readHtml()).not.toContain('<script>ran')
    })

    onSqlite('is missing when guests see no section with dishes', async () => {
      const { addDish, addSection, read } = await openSite()
      const section = await addSection({ name: '準備中' })
      await addDish({ title: '準備中の皿', price: '500', draft: true, section })
      for (const person of ['guest', 'administrator'] as const) {
        const { restaurant, menu } = await read(person)
        expect(menu).toBeUndefined()
        expect(restaurant).not.toHaveProperty('priceRange')
      }
      await addDish({ title: '蕎麦', price: '500' })
      for (const person of ['guest', 'administrator'] as const) {
        const { restaurant, menu } = await read(person)
        expect(menu).toBeUndefined()
        expect(restaurant).toHaveProperty('priceRange', '¥500')
      }
    })

    onSqlite('contains the price range of the owner in place of the prices of the dishes', async () => {
      const { addDish, read, fill } = await openSite()
      await addDish({ title: '鱧', price: '時価' })
      expect((await read()).restaurant).not.toHaveProperty('priceRange')
      await addDish({ title: 'お通し', price: '0' })
      expect((await read()).restaurant).toHaveProperty('priceRange', '¥0')
      await addDish({ title: '懐石', price: '昼 8000、夜 1000000' })
      expect((await read()).restaurant).toHaveProperty('priceRange', '¥0〜¥1,000,000')
      await fill('/site', { priceRange: '夜4,000円〜' })
      expect((await read()).restaurant).toHaveProperty('priceRange', '夜4,000円〜')
    })

    onSqlite('has no link from the restaurant when the page of the menu is hidden', async () => {
      const { fill, read } = await openSite()
      await fill('/pages/dining/edit', { shown: unticked })
      for (const person of ['guest', 'administrator'] as const)
        expect((await read(person, '/access')).restaurant).not.toHaveProperty('hasMenu')
    })
  })
})
