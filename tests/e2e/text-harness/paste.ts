import { expect, type Locator } from '@playwright/test'

/** Pastes into a field as a browser does. `forms` has the clipboard data by MIME type. */
export function paste(field: Locator, forms: Record<string, string>) {
  return field.evaluate((element, given) => {
    const clipboardData = new DataTransfer()
    for (const [type, data] of Object.entries(given)) clipboardData.setData(type, data)
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  }, forms)
}

/** Replaces the text field of the harness by an empty field, and pastes into this field. */
export async function pasteIntoEmpty(field: Locator, forms: Record<string, string>) {
  await field.page().evaluate(() => (window as unknown as { clearText: () => void }).clearText())
  await expect(field).toHaveAttribute('contenteditable')
  await field.focus()
  await paste(field, forms)
}
