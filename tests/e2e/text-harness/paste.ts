import type { Locator } from '@playwright/test'

/** Pastes into a field as a browser does: with what the clipboard has, in each of its forms. */
export function paste(field: Locator, forms: Record<string, string>) {
  return field.evaluate((element, given) => {
    const clipboardData = new DataTransfer()
    for (const [type, data] of Object.entries(given)) clipboardData.setData(type, data)
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  }, forms)
}
