import { publicPages } from '../../scripts/start-site.ts'
import { documentAsOf } from '../../server/http/document.ts'
import { test } from './editors.ts'
import { expect } from './visitors.ts'

test.use({ expectedErrors: [/Failed to load resource/] })

test('inlines all styles of a page in the order of the stylesheet', async ({ page, owner, site }) => {
  const others = ['/mail', '/login', '/nowhere', '/today', '/memberlist', '/site', '/dining/new/add', '/bin']
  const paths = [...(await publicPages(site)), ...others]
  const stylesheets = new Map<string, string>()
  for (const visitor of [page, await owner()]) {
    const { request } = visitor.context()
    // Parses the HTML in a separate page, because the visited page would apply its own security policy.
    const reader = await visitor.context().newPage()
    for (const path of paths) {
      const html = await (await request.get(path)).text()
      const [, stylesheetUrl = ''] = / data-stylesheet="([^"]+)"/.exec(html) ?? []
      if (!stylesheets.has(stylesheetUrl))
        stylesheets.set(stylesheetUrl, await (await request.get(stylesheetUrl)).text())
      const css = stylesheets.get(stylesheetUrl) ?? ''
      const comparisons = await reader.evaluate(compareStyles, { documents: [html, documentAsOf(html, 0)], css })
      expect(comparisons, path).toEqual(Array(2).fill({ missing: [], ordered: true }))
    }
    await reader.close()
  }
})

test('opens every linked page with its styles when the stylesheet fails to load', async ({ page }) => {
  await page.route('**/assets/*.css', (route) => route.abort())
  await page.goto('/dining')
  await expect(page.locator('link[rel=stylesheet]')).toHaveCount(1)
  await expect(page.getByRole('article').first()).toHaveCSS('background-color', 'rgb(255, 253, 248)')
  await page.getByRole('navigation', { name: '主なページ' }).getByRole('link', { name: 'アクセス' }).click()
  await expect(page).toHaveTitle(/^アクセス/)
  await expect(page.locator('body')).toHaveCSS('background-color', 'rgb(246, 241, 231)')
  // The link caused a document navigation, because a client navigation could render elements without styles.
  expect(await page.evaluate(() => performance.getEntriesByType('navigation')[0]?.name)).toMatch(/\/access$/)
})

/**
 * Returns, for each document, the rules of a stylesheet that match the document but are missing from its inline styles. `ordered` is
 * whether the inline styles have the order of the stylesheet.
 */
function compareStyles({ documents, css }: { documents: string[]; css: string }) {
  const allRules = rulesIn(css)
  return documents.map((html) => {
    const document = new DOMParser().parseFromString(html, 'text/html')
    const ownRules = rulesIn([...document.querySelectorAll('style')].map(({ textContent }) => textContent).join(''))
    const ownTexts = new Set(ownRules.map(({ text }) => text))
    const missing = allRules.filter(({ text, selector }) => !ownTexts.has(text) && isOfUse(document, selector))
    const expectedTexts = allRules.map(({ text }) => text).filter((text) => ownTexts.has(text))
    const ordered = ownRules.map(({ text }) => text).join() === expectedTexts.join()
    return { missing: missing.map(({ text }) => text), ordered }
  })

  function rulesIn(css: string) {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(css)
    return [...sheet.cssRules].flatMap((rule) => {
      // A document contains a named page only if an element uses its name. print-the-menu.spec.ts checks their sizes.
      if (rule instanceof CSSFontFaceRule || (rule instanceof CSSPageRule && rule.selectorText)) return []
      if (!(rule instanceof CSSConditionRule)) return describe(rule, '')
      return [...rule.cssRules].map((inner) => describe(inner, rule.conditionText))
    })
  }

  function describe(rule: CSSRule, condition: string) {
    return { text: `${condition} ${rule.cssText}`, selector: rule instanceof CSSStyleRule ? rule.selectorText : '*' }
  }

  // Ignores the pseudo-classes in the selector, because their state may change later.
  function isOfUse(document: Document, selector: string) {
    let lasting = selector
    while (lasting.includes('(')) lasting = lasting.replaceAll(/:[\w-]+\([^()]*\)/g, '')
    return (
      document.querySelector(lasting.replaceAll(/::?[a-z-]+/g, '').replaceAll(/(^|[\s>+~,])(?=$|[\s,>+~])/g, '$1*')) !==
      null
    )
  }
}
