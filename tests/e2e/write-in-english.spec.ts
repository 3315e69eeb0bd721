import { listCards } from '../../app/cards/cards.server.ts'
import { readSiteToEdit, saveSite } from '../../app/settings/site.server.ts'
import { author, test as siteTest } from './site-with-data.ts'
import { expect, open, waitForControls } from './visitors.ts'

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
