import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { sampleSite } from '../../server/testing.ts'
import type { Person } from '../../server/tools/demo.ts'
import { addImage } from '../media/testing-images.ts'
import { recordTypes } from '../owner/record-types.server.ts'
import { removeUnusedImages } from '../records/images-in-use.server.ts'
import { readSite, readSiteToEdit } from '../settings/site.server.ts'
import type { SiteSettings } from '../settings/site.ts'
import { siteFormValues } from '../settings/site-form.ts'

const DAY_MS = 24 * 60 * 60_000
const EMPTY_SETTINGS = { address: '', postalCode: '', telephone: '', directions: [], parking: '', mapQuery: '' }
const NOTHING = '住所と道順は、ただいま準備しております。'

let map: Buffer
beforeAll(async () => {
  map = await sharp({ create: { width: 30, height: 20, channels: 3, background: '#fff' } })
    .png()
    .toBuffer()
})

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  const site = async () => {
    const sample = await sampleSite(await fresh())
    await sample.people()
    const { db, clock, as, post } = sample
    /** Submits the section of the settings form with the postal address and telephone number. */
    const submitForm = async (fields: Record<string, string>) => {
      clock.now += 60_000
      const { version, facts } = await readSiteToEdit(db)
      const hiddenFields = { section: 'place', version: `${version}`, ...siteFormValues('place', facts) }
      const response = await post('administrator', '/site', { ...hiddenFields, ...fields })
      return { status: response.status, html: await response.text() }
    }
    /** Stores settings without validation. */
    const storeSettings = async (facts: Partial<SiteSettings>) => {
      const stored = JSON.stringify({ ...(await readSite(db)), ...facts })
      await db.updateTable('site').set({ facts: stored }).execute()
    }
    const readPage = async (person: Person = 'guest') => (await as(person, '/access')).text()
    const readImage = async () => (await readSite(db)).wayPicture
    const statusOf = async (url: string) => (await as('guest', url)).status
    const storeMap = () => {
      const author = { accountId: 'demo-administrator', at: new Date(clock.now).toISOString() }
      return addImage(db, map, 'screen', author)
    }
    return { ...sample, submitForm, storeSettings, readPage, readImage, statusOf, storeMap }
  }

  describe('the access page', () => {
    onSqlite('only links to external maps, with Google Maps last, when there is no image', async () => {
      const { readPage } = await site()
      const html = await readPage()
      expect(html).not.toContain('<picture')
      expect(html).not.toContain('地図を大きく見る')
      const query = encodeURIComponent('八坂の塔 京都市東山区')
      const apple = `https://maps.apple.com/?q=${query}`
      const fallback = encodeURIComponent(apple)
      const links = [
        `href="${apple}"`,
        `href="intent:0,0?q=${query}#Intent;scheme=geo;S.browser_fallback_url=${fallback};end"`,
        '地図を表示する',
        `href="https://www.google.com/maps/search/?api=1&amp;query=${query}"`,
      ]
      const positions = links.map((link) => html.indexOf(link))
      expect(positions).not.toContain(-1)
      expect(positions).toEqual(positions.toSorted((a, b) => a - b))
      expect(html).not.toMatch(/<(?:iframe|img|link|script)[^>]*(?:google|apple)\./)
    })

    onSqlite('encodes the map query so that the Android intent opens only a map', async () => {
      const { storeSettings, readPage } = await site()
      await storeSettings({ mapQuery: '#Intent;scheme=https;package=com.example;S.browser_fallback_url=x;end"><b>' })
      const [, intentUrl = ''] = /href="(intent:[^"]*)"/.exec(await readPage()) ?? []
      expect(intentUrl.match(/#/g)).toHaveLength(1)
      expect(intentUrl.match(/;/g)).toHaveLength(3)
      expect(intentUrl).toMatch(
        /#Intent;scheme=geo;S\.browser_fallback_url=https%3A%2F%2Fmaps\.apple\.com%2F[^;]*;end$/,
      )
    })

    onSqlite('shows the uploaded image and its description before the links to maps', async () => {
      const { submitForm, readPage, readImage, statusOf, storeMap } = await site()
      const url = await storeMap()
      const { status, html } = await submitForm({ wayPicture: url })
      expect(status).toBe(200)
      expect(html).toContain('保存しました')
      expect(await readImage()).toBe(url)
      expect(url).toMatch(/^\/pictures\/[0-9a-f]{32}-1920\.jpg$/)
      for (const width of [800, 1280, 1920]) expect(await statusOf(url.replace('1920.jpg', `${width}.avif`))).toBe(200)
      const before = await readPage()
      expect(before).toMatch(new RegExp(`<a href="${url}"[^>]*><picture>.*alt="お店までの地図".*</picture>`))
      expect(before.indexOf(url)).toBeLessThan(before.indexOf('maps.apple.com'))

      expect((await submitForm({ wayPictureAlt: '駅から橋を渡って右へ' })).status).toBe(200)
      const after = await readPage()
      expect(after).toContain('alt="駅から橋を渡って右へ"')
      expect(after).not.toContain('alt="お店までの地図"')
      expect(await readImage()).toBe(url)
    })

    test('reports a conflict if one editor removes the map image and another describes it', async () => {
      const { db, submitForm, readImage, storeMap } = await site()
      const url = await storeMap()
      await submitForm({ wayPicture: url })
      const { version } = await readSiteToEdit(db)
      expect((await submitForm({ wayPicture: '' })).status).toBe(200)
      const description = { version: `${version}`, wayPicture: url, wayPictureAlt: '駅から橋を渡って右へ' }
      expect((await submitForm(description)).status).toBe(409)
      expect([await readImage(), (await readSite(db)).wayPictureAlt]).toEqual(['', ''])
    })

    onSqlite('links to no external map when the map query is empty', async () => {
      const { submitForm, readPage, storeMap } = await site()
      const url = await storeMap()
      await submitForm({ mapQuery: '', wayPicture: url })
      const html = await readPage()
      expect(html).toContain(url)
      for (const mapHost of ['maps.apple.com', 'intent:', 'google.com', '地図を表示する'])
        expect(html).not.toContain(mapHost)
      await submitForm({ wayPicture: '' })
      const pageWithoutMap = await readPage()
      expect(pageWithoutMap).toContain('東山区')
      expect(pageWithoutMap).not.toMatch(/<h2[^>]*>地図/)
      expect(pageWithoutMap).not.toContain(NOTHING)
    })

    onSqlite(
      'shows a notice when all settings are empty, and links the settings form only for administrators',
      async () => {
        const { storeSettings, readPage } = await site()
        await storeSettings(EMPTY_SETTINGS)
        for (const person of ['guest', 'approved', 'administrator'] as const) {
          const html = await readPage(person)
          expect(html, person).toContain(NOTHING)
          expect(/<a[^>]*href="\/site"[^>]*>お店の情報に入力する/.test(html), person).toBe(person === 'administrator')
        }
      },
    )

    onSqlite.each([
      'https://elsewhere.example/map-800.jpg',
      '//elsewhere.example/pictures/x-800.jpg',
      'javascript:alert(1)//-800.jpg',
      'data:image/png;base64,AAAA',
      '/art/dish-soba-800.jpg',
      '/pictures/../site-800.jpg',
      '/pictures/x"onerror="alert(1)-800.jpg',
      `/pictures/${'0'.repeat(32)}-800.png`,
    ])('rejects %s as the map image in the form, and ignores a stored map image with this URL', async (url) => {
      const { submitForm, storeSettings, readPage, readImage } = await site()
      const { status, html } = await submitForm({ wayPicture: url, parking: '二台' })
      expect(status).toBe(400)
      expect(html).toContain('写真を選び直してください')
      expect(await readImage()).toBe('')
      await storeSettings({ wayPicture: url })
      const page = await readPage()
      expect(page).not.toContain('<picture')
      expect(page).not.toContain('地図を大きく見る')
    })

    onSqlite('rejects the form with a field error when the image does not exist', async () => {
      const { submitForm, readImage, db } = await site()
      const { status, html } = await submitForm({ wayPicture: `/pictures/${'0'.repeat(32)}-1920.jpg`, parking: '二台' })
      expect(status).toBe(400)
      expect(html).toContain('写真が見つかりません')
      expect(await readImage()).toBe('')
      expect((await readSite(db)).parking).not.toBe('二台')
    })

    test('restores a removed image from the history within 90 days', async () => {
      const { submitForm, readPage, readImage, statusOf, storeMap, as, post, clock, db } = await site()
      const remove = async (url: string) => {
        const body = JSON.stringify({ filename: url.slice('/pictures/'.length) })
        const headers = { 'content-type': 'application/json', origin: 'http://localhost' }
        return (await as('administrator', '/api/delete', { method: 'POST', headers, body })).status
      }
      const url = await storeMap()
      await submitForm({ wayPicture: url })
      clock.now += 100 * DAY_MS
      expect(await removeUnusedImages(db, recordTypes, clock.now)).toBe(0)
      expect(await remove(url)).toBe(409)
      expect((await submitForm({ wayPicture: '' })).status).toBe(200)
      expect(await readPage()).not.toContain(url)
      clock.now += 80 * DAY_MS
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
      const response = await post('administrator', '/undo', { revision: revisions[0]?.id ?? '' })
      expect(response.status).toBeLessThan(400)
      expect(await readImage()).toBe(url)
      expect(await readPage()).toContain(url)

      await submitForm({ wayPicture: '' })
      clock.now += 91 * DAY_MS
      expect(await removeUnusedImages(db, recordTypes, clock.now)).toBe(1)
      expect(await statusOf(url)).toBe(404)
      expect(await storeMap()).toBe(url)
    })

    test("merges a change of the image with another editor's change of the postal address", async () => {
      const { submitForm, storeMap, readImage, as, db } = await site()
      const { version } = await readSiteToEdit(db)
      const url = await storeMap()
      expect((await submitForm({ wayPicture: url, version: `${version}` })).status).toBe(200)
      const otherChanges = { address: '左京区', wayPicture: '', version: `${version}` }
      expect((await submitForm(otherChanges)).status).toBe(200)
      expect(await readImage()).toBe(url)
      expect((await readSite(db)).address).toBe('左京区')
      const html = await (await as('administrator', '/site')).text()
      expect(html).toMatch(new RegExp(`<dt>地図の写真</dt>.*${url}</ins>`))
    })
  })
})
