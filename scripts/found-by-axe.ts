import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from '@playwright/test'
import type axe from 'axe-core'

const axeSource = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

declare global {
  interface Window {
    axe?: typeof axe
  }
}

/**
 * Checks a page with axe and returns the violations. The page must not change during the check, but its clock must run.
 */
export async function foundByAxe(page: Page) {
  // During a transition, colours have intermediate values.
  await page.emulateMedia({ reducedMotion: 'reduce' })
  // Loading axe takes as long as a check, so a document loads axe only once.
  if (!(await page.evaluate(() => Boolean(window.axe)))) await page.evaluate(axeSource)
  return page.evaluate(async () => {
    // The fixed toolbar covers content below the viewport, so axe would measure the covered content as too small.
    const toolbars = [...document.querySelectorAll<HTMLElement>('nav[aria-label="管理メニュー"]')]
    for (const toolbar of toolbars) toolbar.style.position = 'static'
    // Listing only violations halves the time. A target needs 24 px in width and height, or the same space around it
    // (WCAG 2.2, 2.5.8). The only frames are pages of other sites.
    const rules = { 'target-size': { enabled: true } }
    const results = await window.axe?.run(document, { resultTypes: ['violations'], rules, iframes: false })
    for (const toolbar of toolbars) toolbar.style.position = ''
    if (!results) throw new Error('Expected axe to be loaded')
    return results.violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${help}\n  ${target.join(' ')}\n  ${failureSummary}`),
    )
  })
}
