import { listCards } from '../../app/cards/cards.server.ts'
import { readSiteToEdit, saveSite } from '../../app/settings/site.server.ts'
import { createTestOnOwnSite } from './editors.ts'
import { post } from './forms.ts'
import { readSectionSettings } from './forms-of-site.ts'
import { author, test as siteTest } from './site-with-data.ts'
import { Thumb } from './taps.ts'
import { expect, expectAccessible, getNotice, open, phone, waitForControls } from './visitors.ts'

const test = createTestOnOwnSite('site in English')
const OFFER = 'This page is also available in English.'

test('translates ten dishes in one save on a phone, and takes the save back', async ({ owner, openPage }) => {
  const page = await owner({ viewport: phone, hasTouch: true })
  const { version = '' } = await readSectionSettings(page, 'languages')
  await post(page, '/site', { section: 'languages', version, otherLanguages: 'on' })
  const thumb = new Thumb()
  await open(page, '/translations')
  await thumb.tap(page.getByRole('link', { name: /お料理/ }).last())
  await waitForControls(page)
  await expectAccessible(page)
  const names = page.getByRole('textbox', { name: '品名' })
  const count = Math.min(10, await names.count())
  expect(count).toBeGreaterThan(3)
  for (let index = 0; index < count; index += 1) await thumb.type(names.nth(index), `Dish number ${index}`)
  await thumb.tap(page.getByRole('button', { name: '保存する' }))
  await expect(getNotice(page, '保存しました。')).toBeVisible()
  const guest = await openPage()
  await open(guest, '/en/dining')
  await expect(guest.getByRole('heading', { name: 'Dish number 1', exact: true })).toBeVisible()
  await thumb.tap(page.getByRole('button', { name: '元に戻す' }))
  await expect(names.first()).toHaveValue('')
  await expect(guest.getByRole('heading', { name: 'Dish number 1', exact: true })).toHaveCount(0)
})

const guestTest = siteTest.extend<{ english: undefined }>({
  english: async ({ db }, use) => {
    const { version } = await readSiteToEdit(db)
    await saveSite(db, { version, facts: { otherLanguages: true } }, author())
    const { saveSettings } = await import('../../app/records/settings-record.server.ts')
    const { translationsOf } = await import('../../app/translations/translation-record.server.ts')
    const { readTranslations } = await import('../../app/translations/translations.server.ts')
    const [dish] = await listCards(db, 'dining')
    const translation = { text: 'A dish', source: dish?.title ?? '', at: author().at }
    const seen = await readTranslations(db, 'en', 'dining')
    const facts = { [`${dish?.id}.title`]: translation }
    await saveSettings(db, translationsOf('en', 'dining'), { version: seen.version, facts }, author())
    await use(undefined)
  },
})

guestTest('offers the page in the preferred language once, without a cookie', async ({ openPage, english: _ }) => {
  const page = await openPage({ locale: 'en-GB', viewport: phone })
  await open(page, '/dining')
  const line = page.getByRole('complementary', { name: OFFER })
  await expect(line).toBeVisible()
  await expectAccessible(page)
  const close = line.getByRole('button', { name: 'Close' })
  for (const control of [close, line.getByRole('link')])
    expect((await control.boundingBox())?.height).toBeGreaterThanOrEqual(44)
  await line.getByRole('link').focus()
  await page.keyboard.press('Tab')
  await expect(close).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(line).toHaveCount(0)
  await open(page, '/access')
  await page.reload()
  await expect(page.getByRole('link', { name: 'English' }).first()).toBeVisible()
  await expect(line).toHaveCount(0)
  expect(await page.context().cookies()).toEqual([])
})

guestTest('leads to the page in the preferred language, which offers nothing', async ({ openPage, english: _ }) => {
  const page = await openPage({ locale: 'en-US' })
  await open(page, '/dining')
  await page.getByRole('link', { name: OFFER }).press('Enter')
  await expect(page).toHaveURL(/\/en\/dining$/)
  await expect(page.getByRole('complementary')).toHaveCount(0)
})

guestTest('loads nothing for a browser that prefers Japanese', async ({ openPage, english: _ }) => {
  const page = await openPage({ locale: 'ja-JP' })
  const requested: string[] = []
  page.on('request', (request) => requested.push(request.url()))
  await open(page, '/dining')
  await waitForControls(page)
  expect(requested.filter((url) => url.includes('language-offer'))).toEqual([])
  await expect(page.getByRole('complementary')).toHaveCount(0)
})
