import type { Locator, Page } from '@playwright/test'

/** The thumb of somebody with a phone (a page with `hasTouch`), which counts what it has to do. */
export class Thumb {
  /** A select is two taps: one opens it, one chooses. */
  taps = 0
  /** Characters typed. */
  keys = 0

  async tap(what: Locator) {
    await what.tap()
    this.taps += 1
  }

  async choose(select: Locator, option: string) {
    await select.selectOption(option)
    this.taps += 2
  }

  /** Taps into a field, and types what replaces its text. */
  async type(field: Locator, text: string) {
    await this.tap(field)
    await field.fill(text)
    this.keys += [...text].length
  }

  /** Types into fields, by their labels. */
  async fillIn(where: Page | Locator, texts: Record<string, string>) {
    for (const [label, text] of Object.entries(texts)) await this.type(where.getByLabel(label), text)
  }
}
