/** Whether an element has a box on the page, as `checkVisibility` returns, which Safari has from 17.4 on. */
export function isRendered(element: Element) {
  return element.getClientRects().length > 0 && !element.closest('details:not([open]) > :not(summary)')
}
