/** Whether an element has a box on the page. Replaces `checkVisibility`, which Safari lacks before 17.4. */
export function isRendered(element: Element) {
  return element.getClientRects().length > 0 && !element.closest('details:not([open]) > :not(summary)')
}
