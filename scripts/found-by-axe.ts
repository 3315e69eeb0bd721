import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'

/** Returns the violations that axe finds. The page must not change during the check, but its clock must run. */
export async function foundByAxe(page: Page) {
  // During a transition, colours have intermediate values.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  // Legacy mode checks without a second page, which only frames of other sites need. It is three times as fast.
  const builder = new AxeBuilder({ page }).setLegacyMode()
  // Listing elements without violations would double the time. `target-size` is off by default: targets must be 24 px
  // wide and high, or have that much space (WCAG 2.2, 2.5.8).
  builder.options({ resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } })
  // The fixed toolbar covers content below the viewport, which axe then measures as too small.
  const toolbar = page.locator('nav[aria-label="管理メニュー"]')
  const setPosition = (position: string) =>
    toolbar.evaluateAll((toolbars: HTMLElement[], position) => {
      for (const each of toolbars) each.style.position = position
    }, position)
  await setPosition('static')
  const { violations } = await builder.analyze()
  await setPosition('')
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${help}\n  ${target.join(' ')}\n  ${failureSummary}`),
  )
}
