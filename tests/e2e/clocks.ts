import type { Page } from '@playwright/test'

// The start is years after every date in the sample shop. 2044 is a leap year.
const START_TIME = '2043-12-30T00:00:00Z'

/** Stops the clocks of the site and of the page. `device` is how far the page clock is ahead, in milliseconds. */
export async function stopClocks(page: Page, site: string, device = 0) {
  // Playwright does not stop the clock of these timeouts, so a slow response would be aborted.
  await page.addInitScript(() => {
    AbortSignal.timeout = () => new AbortController().signal
  })
  await page.clock.install({ time: Date.parse(START_TIME) + device })
  let now = 0
  const setSite = (time: number) => {
    now = time
    return page.request.get(`${site}/clock?now=${new Date(now).toISOString()}`)
  }
  return {
    /** Sets both clocks to a later local time of Japan. */
    async set(time: string) {
      await setSite(Date.parse(`${time}+09:00`))
      await page.clock.pauseAt(now + device)
    },
    async pass(ms: number) {
      await setSite(now + ms)
      await page.clock.runFor(ms)
    },
    /** Advances both clocks as if the device had slept. The page runs each due timer at most once. */
    async sleep(ms: number) {
      await setSite(now + ms)
      await page.clock.fastForward(ms)
    },
  }
}
