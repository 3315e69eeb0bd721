import { expect, test } from 'vitest'
import { listCards } from '../app/cards/cards.server.ts'
import { listSections } from '../app/sections/sections.server.ts'
import { onEachEngine } from '../db/testing.ts'
import { fillSampleShopWithMenu } from './sample-menu.ts'
import { fillSampleShop } from './sample-shop.ts'
import { noon, sampleSite } from './testing.ts'

onEachEngine((fresh) => {
  const siteWithMenu = async (wanted = true) => {
    const db = await fresh()
    await fillSampleShopWithMenu(db, { wanted, now: noon })
    return sampleSite(db)
  }

  test('the sample menu has 24 dishes in three sections, with the dishes of the specification first', async () => {
    const { db, text } = await siteWithMenu()
    const specified = await fresh()
    await fillSampleShop(specified, { wanted: true, now: noon })
    const contentOf = async (from: typeof db) =>
      (await listCards(from, 'dining')).map(({ id: _, version: __, section: ___, ...card }) => card)
    const dishes = await contentOf(db)
    expect(dishes).toHaveLength(24)
    expect(dishes.slice(0, 12)).toEqual(await contentOf(specified))
    expect(dishes.slice(12).filter(({ image, allergensConfirmed }) => image !== '' || !allergensConfirmed)).toEqual([])
    const sections = await listSections(db)
    expect(sections.map(({ name, served }) => [name, served])).toEqual([
      ['お食事と甘味', 'any'],
      ['昼の一品', 'slot2'],
      ['お飲みもの', 'any'],
    ])
    const page = await text('/dining')
    const order = [
      'お食事と甘味',
      '季節の炊き込みご飯',
      'わらび餅とお抹茶',
      '昼の一品',
      '九条葱のぬた',
      'お飲みもの',
      '青谷の梅酒',
    ]
    expect(order.map((name) => page.indexOf(name)).filter((at) => at < 0)).toEqual([])
    expect(page).toContain('一合 1,200円')
    await fillSampleShopWithMenu(db, { wanted: true, now: noon })
    expect(await listSections(db)).toHaveLength(3)
  })

  test('the removal of the sample removes the sections and the dishes, and preserves a dish of the owner', async () => {
    const { db, post, text, people } = await siteWithMenu()
    await people()
    const [, lunch] = await listSections(db)
    const own = { intent: 'add', title: '蕪蒸し', price: '900', section: lunch?.id ?? '' }
    expect((await post('administrator', '/dining/new/add', own)).status).toBe(302)
    expect((await post('administrator', '/today', { intent: 'remove the sample' })).status).toBe(200)
    expect(await listSections(db)).toEqual([])
    expect((await listCards(db, 'dining', { drafts: true })).map(({ title }) => title)).toEqual(['蕪蒸し'])
    const page = await text('/dining')
    expect(page).toContain('蕪蒸し')
    expect(page).not.toMatch(/お食事と甘味|昼の一品|お飲みもの|九条葱/)
  })

  test('a site without the sample shop has no sections and no dishes', async () => {
    const { db, text } = await siteWithMenu(false)
    expect([await listSections(db), await listCards(db, 'dining')]).toEqual([[], []])
    const page = await text('/dining')
    expect(page).toContain('準備しております')
    expect(page).not.toMatch(/<section/)
  })
})
