import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'

/** What axe complains about on a page, a line each; the page should stand still meanwhile, and its clock should not. */
export async function foundByAxe(page: Page) {
  // A colour on its way to another is neither.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  // No page of ours has a frame of another site here, and without one axe needs no second page: three times as fast.
  // Of what is well it names no elements, which would take as long as the rest.
  const builder = new AxeBuilder({ page }).setLegacyMode()
  // Off unless it is asked for: what is pressed is 24 px wide and high, or has as much room (WCAG 2.2, 2.5.8).
  builder.options({ resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } })
  // The bar at the foot of the window lies over what is not scrolled into sight, which axe takes for small: not meanwhile.
  const bar = page.locator('nav[aria-label="仕事のメニュー"]')
  const place = (position: string) =>
    bar.evaluateAll((bars: HTMLElement[], position) => {
      for (const each of bars) each.style.position = position
    }, position)
  await place('static')
  const { violations } = await builder.analyze()
  await place('')
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${help}\n  ${target.join(' ')}\n  ${failureSummary}`),
  )
}
