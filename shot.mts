import { chromium } from 'playwright'
import { browserFlags, findBrowser } from './scripts/find-browser.ts'
import { signIn } from './scripts/sign-in-demo-people.ts'
const url = 'http://localhost:4001'
const b = await chromium.launch({ executablePath: findBrowser(), args: browserFlags })
const cookies = await signIn(url, 'administrator')
for (const who of ['guest', 'editor']) for (const width of [390, 1440]) {
  const c = await b.newContext({ viewport: { width, height: 900 }, locale: 'ja-JP', ...(who === 'editor' && { extraHTTPHeaders: { cookie: cookies } }) })
  const p = await c.newPage()
  p.on('pageerror', (e) => console.log(who, width, e.message))
  p.on('console', (m) => { if (m.type() === 'error') console.log(m.text().slice(0, 200)) })
  await p.goto(url + '/dining?' + (who === 'editor' ? 'fresh' : '')); await p.waitForTimeout(2500)
  console.log(who, width, await p.evaluate('scrollY'), await p.locator('[aria-current]').allTextContents())
  await p.screenshot({ path: `/tmp/m-${who}-${width}-served.png` })
  await p.locator('summary', { hasText: '食べられないもの' }).click()
  await p.getByLabel('卵').check(); await p.waitForTimeout(300)
  console.log(p.url())
  await p.screenshot({ path: `/tmp/m-${who}-${width}-filter.png` })
  await p.locator('#section-c').scrollIntoViewIfNeeded(); await p.evaluate(`document.getElementById('section-c').scrollIntoView()`); await p.waitForTimeout(600)
  await p.screenshot({ path: `/tmp/m-${who}-${width}-lines.png` })
}
await b.close()
