import { expect, type Page } from '@playwright/test'

/**
 * Navigates in the client, as Back and Forward do, so that the tab keeps its state. Waits until the router has replaced
 * the first card, or the heading of a page without cards. Pages of one route share their heading, but not their cards.
 * `replaced` selects another element.
 */
export async function navigateInClient(page: Page, path: string, replaced = 'article') {
  await page.evaluate(
    ([to, selector]) => {
      const element = document.querySelector(`main ${selector}`) ?? document.querySelector('main h1')
      if (!element) throw new Error(`Expected ${selector} or a heading before the navigation, got none`)
      element.setAttribute('data-replaced', '')
      history.pushState(null, '', to)
      dispatchEvent(new PopStateEvent('popstate'))
    },
    [path, replaced] as const,
  )
  await expect(page.locator('[data-replaced]')).toHaveCount(0)
}
