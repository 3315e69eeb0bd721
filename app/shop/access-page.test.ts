import sharp from 'sharp'
import { beforeAll, expect, test, vi } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { sampleSite } from '../../server/testing.ts'
import type { Person } from '../../server/tools/demo.ts'
import { storeImage } from '../media/images.server.ts'
import { recordTypes } from '../owner/record-types.server.ts'
import { removeUnusedImages } from '../records/images-in-use.server.ts'
import { readSite, readSiteToEdit } from '../settings/site.server.ts'
import type { SiteSettings } from '../settings/site.ts'
import { siteFormValues } from '../settings/site-form.ts'

// Pictures take their time on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

const DAY = 24 * 60 * 60_000
const unknown = { address: '', postalCode: '', telephone: '', directions: [], parking: '', mapQuery: '' }
const NOTHING = '住所と道順は、ただいま準備しております。'

let map: Buffer
beforeAll(async () => {
  map = await sharp({ create: { width: 30, height: 20, channels: 3, background: '#fff' } })
    .png()
    .toBuffer()
})

onEachEngine((fresh) => {
  const site = async () => {
    const made = await sampleSite(await fresh())
    await made.people()
    const { db, clock, as, post } = made
    /** Sends the form of place and telephone. */
    const save = async (fields: Record<string, string>) => {
      clock.now += 60_000
      const { version, facts } = await readSiteToEdit(db)
      const seen = { section: 'place', version: `${version}`, ...siteFormValues('place', facts) }
      const response = await post('administrator', '/site', { ...seen, ...fields })
      return { status: response.status, html: await response.text() }
    }
    /** Puts facts into the database past every form. */
    const put = async (facts: Partial<SiteSettings>) => {
      const stored = JSON.stringify({ ...(await readSite(db)), ...facts })
      await db.updateTable('site').set({ facts: stored }).execute()
    }
    const access = async (person: Person = 'guest') => (await as(person, '/access')).text()
    const picture = async () => (await readSite(db)).wayPicture
    const statusOf = async (url: string) => (await as('guest', url)).status
    const store = async () => {
      const author = { accountId: 'demo-administrator', at: new Date(clock.now).toISOString() }
      const stored = await storeImage(db, map, 'screen', author)
      return stored.outcome === 'stored' ? stored.url : ''
    }
    return { ...made, save, put, access, picture, statusOf, store }
  }

  test('without a picture there are the maps of others, Google’s last, and nothing is asked of them', async () => {
    const { access } = await site()
    const html = await access()
    expect(html).not.toContain('<picture')
    expect(html).not.toContain('地図を大きく見る')
    const place = encodeURIComponent('八坂の塔 京都市東山区')
    const apple = `https://maps.apple.com/?q=${place}`
    const fallback = encodeURIComponent(apple)
    const ways = [
      `href="${apple}"`,
      `href="intent:0,0?q=${place}#Intent;scheme=geo;S.browser_fallback_url=${fallback};end"`,
      '地図を表示する',
      `href="https://www.google.com/maps/search/?api=1&amp;query=${place}"`,
    ]
    const places = ways.map((way) => html.indexOf(way))
    expect(places).not.toContain(-1)
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(html).not.toMatch(/<(?:iframe|img|link|script)[^>]*(?:google|apple)\./)
  })

  test('words for the map can ask Android for nothing but a place', async () => {
    const { put, access } = await site()
    await put({ mapQuery: '#Intent;scheme=https;package=com.example;S.browser_fallback_url=x;end"><b>' })
    const [, address = ''] = /href="(intent:[^"]*)"/.exec(await access()) ?? []
    expect(address.match(/#/g)).toHaveLength(1)
    expect(address.match(/;/g)).toHaveLength(3)
    expect(address).toMatch(/#Intent;scheme=geo;S\.browser_fallback_url=https%3A%2F%2Fmaps\.apple\.com%2F[^;]*;end$/)
  })

  test('an uploaded picture is shown large and with its words, before every other way', async () => {
    const { save, access, picture, statusOf, store } = await site()
    const url = await store()
    const { status, html } = await save({ wayPicture: url })
    expect(status).toBe(200)
    expect(html).toContain('保存しました')
    expect(await picture()).toBe(url)
    expect(url).toMatch(/^\/pictures\/[0-9a-f]{32}-1920\.jpg$/)
    for (const width of [800, 1280, 1920]) expect(await statusOf(url.replace('1920.jpg', `${width}.avif`))).toBe(200)
    const before = await access()
    expect(before).toMatch(new RegExp(`<a href="${url}"[^>]*><picture>.*alt="お店までの地図".*</picture>`))
    expect(before.indexOf(url)).toBeLessThan(before.indexOf('maps.apple.com'))

    expect((await save({ wayPictureAlt: '駅から橋を渡って右へ' })).status).toBe(200)
    const after = await access()
    expect(after).toContain('alt="駅から橋を渡って右へ"')
    expect(after).not.toContain('alt="お店までの地図"')
    expect(await picture()).toBe(url)
  })

  test('a picture alone is a way: then nobody else’s map is named', async () => {
    const { save, access, store } = await site()
    const url = await store()
    await save({ mapQuery: '', wayPicture: url })
    const html = await access()
    expect(html).toContain(url)
    for (const other of ['maps.apple.com', 'intent:', 'google.com', '地図を表示する']) expect(html).not.toContain(other)
    await save({ wayPicture: '' })
    const without = await access()
    expect(without).toContain('東山区')
    expect(without).not.toMatch(/<h2[^>]*>地図/)
    expect(without).not.toContain(NOTHING)
  })

  test('where nothing is known that is said, and who may write it is led there', async () => {
    const { put, access } = await site()
    await put(unknown)
    for (const person of ['guest', 'approved', 'administrator'] as const) {
      const html = await access(person)
      expect(html, person).toContain(NOTHING)
      expect(/<a[^>]*href="\/site"[^>]*>お店の情報に入力する/.test(html), person).toBe(person === 'administrator')
    }
  })

  test.each([
    'https://elsewhere.example/map-800.jpg',
    '//elsewhere.example/pictures/x-800.jpg',
    'javascript:alert(1)//-800.jpg',
    'data:image/png;base64,AAAA',
    '/art/dish-soba-800.jpg',
    '/pictures/../site-800.jpg',
    '/pictures/x"onerror="alert(1)-800.jpg',
    `/pictures/${'0'.repeat(32)}-800.png`,
  ])('%s is no picture of the way: the form refuses it, and a page that finds it stored shows none', async (url) => {
    const { save, put, access, picture } = await site()
    const { status, html } = await save({ wayPicture: url, parking: '二台' })
    expect(status).toBe(400)
    expect(html).toContain('写真を選び直してください')
    expect(await picture()).toBe('')
    await put({ wayPicture: url })
    const page = await access()
    expect(page).not.toContain('<picture')
    expect(page).not.toContain('地図を大きく見る')
  })

  test('a picture that does not exist is refused beside its field, and nothing of the form is saved', async () => {
    const { save, picture, db } = await site()
    const { status, html } = await save({ wayPicture: `/pictures/${'0'.repeat(32)}-1920.jpg`, parking: '二台' })
    expect(status).toBe(400)
    expect(html).toContain('写真が見つかりません')
    expect(await picture()).toBe('')
    expect((await readSite(db)).parking).not.toBe('二台')
  })

  test('a picture that was taken away comes back with the history: its bytes outlive the sweep for ninety days', async () => {
    const { save, access, picture, statusOf, store, as, post, clock, db } = await site()
    const remove = async (url: string) => {
      const body = JSON.stringify({ filename: url.slice('/pictures/'.length) })
      const headers = { 'content-type': 'application/json', origin: 'http://localhost' }
      return (await as('administrator', '/api/delete', { method: 'POST', headers, body })).status
    }
    const url = await store()
    await save({ wayPicture: url })
    clock.now += 100 * DAY
    expect(await removeUnusedImages(db, recordTypes, clock.now)).toBe(0)
    expect(await remove(url)).toBe(409)
    expect((await save({ wayPicture: '' })).status).toBe(200)
    expect(await access()).not.toContain(url)
    clock.now += 80 * DAY
    expect(await removeUnusedImages(db, recordTypes, clock.now)).toBe(0)
    expect(await remove(url)).toBe(409)
    expect(await statusOf(url)).toBe(200)

    const revisions = await db
      .selectFrom('revisions')
      .select(['id', 'after'])
      .where('subject', '=', 'site')
      .where('after', 'like', `%${url}%`)
      .execute()
    expect(revisions).toHaveLength(1)
    const back = await post('administrator', '/undo', { revision: revisions[0]?.id ?? '' })
    expect(back.status).toBeLessThan(400)
    expect(await picture()).toBe(url)
    expect(await access()).toContain(url)

    await save({ wayPicture: '' })
    clock.now += 91 * DAY
    expect(await removeUnusedImages(db, recordTypes, clock.now)).toBe(1)
    expect(await statusOf(url)).toBe(404)
    expect(await store()).toBe(url)
  })

  test('of two editors one changes the picture and one the address: both stay, and the history tells of each', async () => {
    const { save, store, picture, as, db } = await site()
    const { version } = await readSiteToEdit(db)
    const url = await store()
    expect((await save({ wayPicture: url, version: `${version}` })).status).toBe(200)
    const others = { address: '左京区', wayPicture: '', version: `${version}` }
    expect((await save(others)).status).toBe(200)
    expect(await picture()).toBe(url)
    expect((await readSite(db)).address).toBe('左京区')
    const html = await (await as('administrator', '/site')).text()
    expect(html).toMatch(new RegExp(`<dt>地図の写真</dt>.*${url}</ins>`))
  })
})
