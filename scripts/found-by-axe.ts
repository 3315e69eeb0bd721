import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'

/** The page must not change during the check, but its clock must run. */
export async function foundByAxe(page: Page) {
  // During a transition, colours have intermediate values.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  // Legacy mode needs no second page and is three times as fast; only frames of other sites need that page.
  const builder = new AxeBuilder({ page }).setLegacyMode()
  // Listing `violations` only halves the time. Targets need 24 px in width and height, or that space (WCAG 2.2, 2.5.8).
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
