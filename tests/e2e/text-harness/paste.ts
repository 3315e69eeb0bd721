import type { Locator } from '@playwright/test'

/** Pastes into a field as a browser does. `forms` has the clipboard data by MIME type. */
export function paste(field: Locator, forms: Record<string, string>) {
  return field.evaluate((element, given) => {
    const clipboardData = new DataTransfer()
    for (const [type, data] of Object.entries(given)) clipboardData.setData(type, data)
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  }, forms)
}
