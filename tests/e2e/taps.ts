import type { Locator, Page } from '@playwright/test'

/** The thumb of a phone user on a page with `hasTouch`. Counts the taps and the typed characters. */
export class Thumb {
  /** The number of taps. A select counts as two taps: one tap opens the select, and one tap chooses the option. */
  taps = 0
  /** The number of typed characters. */
  keys = 0

  async tap(target: Locator) {
    await target.tap()
    this.taps += 1
  }

  async choose(select: Locator, option: string) {
    await select.selectOption(option)
    this.taps += 2
  }

  /** Taps a field and replaces its text. */
  async type(field: Locator, text: string) {
    await this.tap(field)
    await field.fill(text)
    this.keys += [...text].length
  }

  /** Replaces the texts of the fields with these labels. */
  async fillIn(container: Page | Locator, texts: Record<string, string>) {
    for (const [label, text] of Object.entries(texts)) await this.type(container.getByLabel(label), text)
  }
}
