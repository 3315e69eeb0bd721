import type { Page } from '@playwright/test'
import { delayRequests } from './visitors.ts'

const FIELD =
  /<(?:input|textarea|select)\b(?![^>]*type="hidden")[^>]*>(?:(?<=<(?:textarea|select)[^>]*>)[\s\S]*?<\/(?:textarea|select)>)?/g

/**
 * Opens a page. Inserts the HTML `beside` after each field, as a password manager does. The scripts of the page wait
 * until the returned function is called.
 */
export async function openWithoutScripts(page: Page, path: string, beside = '') {
  const release = await delayRequests(page, '**/assets/*.js')
  await page.route(`**${path}`, async (route) => {
    const response = await route.fetch({ maxRetries: 1 })
    const body = (await response.text()).replace(FIELD, (field) => field + beside)
    await route.fulfill({ response, body })
  })
  await page.goto(path, { waitUntil: 'commit' })
  return async () => {
    release()
    await page.waitForFunction(() => history.scrollRestoration === 'manual')
  }
}
