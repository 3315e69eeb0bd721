import { listCards } from '../../app/cards/cards.server.ts'
import { readSiteToEdit, saveSite } from '../../app/settings/site.server.ts'
import { createTestOnOwnSite } from './editors.ts'
import { post } from './forms.ts'
import { createCard } from './forms-of-cards.ts'
import { author, test as siteTest } from './site-with-data.ts'
import { Thumb } from './taps.ts'
import {
  expect,
  fillIn,
  getNotice,
  open,
  openWithLiveUpdates,
  phone,
  pressAndRead,
  waitForControls,
  waitForViewTransition,
} from './visitors.ts'

const OFFER = 'This page is also available in English.'

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

guestTest('stays dismissed on all pages, without a cookie', async ({ openPage, english: _ }) => {
  const page = await openPage({ locale: 'en-US' })
  const offer = page.getByRole('complementary', { name: OFFER })
  await open(page, '/dining')
  await offer.getByRole('button').click()
  await expect(offer).toHaveCount(0)
  await page.addInitScript(() => {
    const { getItem } = Storage.prototype
    Storage.prototype.getItem = function (key) {
      if (key === 'language offer dismissed') Object.assign(window, { isOfferRead: true })
      return getItem.call(this, key)
    }
  })
  for (const path of ['/dining', '/accessibility']) {
    await open(page, path)
    await page.waitForFunction(() => Reflect.get(window, 'isOfferRead'))
    // The offer would appear in the frame after its script has run.
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))))
    await expect(page.getByRole('link', { name: 'English' })).toBeVisible()
    await expect(offer).toHaveCount(0)
  }
  expect(await page.context().cookies()).toEqual([])
})

guestTest('updates the open home page, and shows it again after the back button', async ({ page, db, english: _ }) => {
  const { facts, version } = await readSiteToEdit(db)
  await openWithLiveUpdates(page, '/en')
  await saveSite(db, { version, facts: { description: 'A small shop' } }, author())
  const description = page.getByRole('main').getByText('A small shop')
  await expect(description).toBeVisible()
  await page.getByRole('navigation').getByRole('link', { name: 'Menu' }).first().click()
  // The address changes before the page is rendered.
  await expect(page.getByRole('heading', { level: 1, name: 'Menu' })).toBeVisible()
  await waitForViewTransition(page)
  await page.goBack()
  await expect(description).toBeVisible()
  await saveSite(db, { version: version + 1, facts: { description: facts.description } }, author())
})

const editorTest = createTestOnOwnSite('site in English')
const names = Array.from({ length: 10 }, (_, index) => ({ japanese: `焼きもの${index}番`, english: `Grill ${index}` }))

editorTest('translates ten dishes into English on a phone', async ({ owner, openPage }) => {
  const page = await owner({ viewport: phone, hasTouch: true })
  const thumb = new Thumb()
  await open(page, '/site#languages')
  const languages = page.locator('#languages')
  await thumb.tap(languages.getByLabel('英語でも案内する'))
  await thumb.tap(languages.getByRole('button', { name: '保存する' }))
  await expect(getNotice(page, '保存しました。')).toBeVisible()
  for (const { japanese } of names) await post(page, '/dining/new/add', { intent: 'add', title: japanese })

  await open(page, '/translations')
  await thumb.tap(page.getByRole('link', { name: /^お料理 0/ }))
  for (const { japanese, english } of names)
    await thumb.type(page.getByRole('region', { name: japanese }).getByLabel('品名'), english)
  await thumb.tap(page.getByRole('button', { name: '保存する' }))
  await expect(getNotice(page, '保存しました。')).toBeVisible()
  expect(thumb.taps).toBeLessThanOrEqual(15)

  const guest = await openPage({ viewport: phone })
  await open(guest, '/en/dining')
  for (const { japanese, english } of names) {
    await expect(guest.getByRole('heading', { name: english })).toBeVisible()
    await expect(guest.getByText(japanese)).toHaveCount(0)
  }
})

editorTest('counts a new text of any page in the open list of translations', async ({ owner }) => {
  const page = await owner()
  await openWithLiveUpdates(page, '/translations')
  const counts = () => page.getByRole('main').getByRole('listitem').allInnerTexts()
  const before = await counts()
  await createCard(page, 'vbacreate')
  await expect.poll(counts).not.toEqual(before)
})

editorTest('marks a translation as stale if the Japanese text changed while it was typed', async ({ owner }) => {
  const page = await owner({ viewport: phone })
  await page.goto('/api/health')
  const [, id = ''] = /#card-(.*)$/.exec(await post(page, '/dining/new/add', { intent: 'add', title: '煮もの' })) ?? []
  await open(page, '/translations/en/dining')
  const dish = page.getByRole('region', { name: '煮もの' })
  await fillIn(dish, { 品名: 'Simmered dish' })
  await post(page, `/dining/${id}/edit`, { intent: 'save', version: '1', title: '煮こごり' })
  const changed = page.getByRole('region', { name: '煮こごり' })
  await expect(changed).toContainText('日本語のあとに変わっていません')
  await pressAndRead(page, '保存する', '保存しました。')
  await expect(changed.getByLabel('品名')).toHaveValue('Simmered dish')
  await expect(changed.locator('del')).toHaveText('煮もの')
  await changed.getByLabel('このままでよい').check()
  await pressAndRead(page, '保存する', '保存しました。')
  await expect(changed.locator('del')).toHaveCount(0)
  await expect(changed.getByLabel('品名')).toHaveValue('Simmered dish')
})
