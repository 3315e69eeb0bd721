import type { FullConfig, Reporter, Suite } from '@playwright/test/reporter'
import { createProgress } from './progress.ts'

export default class BrowserProgress implements Reporter {
  #advance = (_: number) => {}

  onBegin(_: FullConfig, suite: Suite) {
    const count = suite.allTests().length
    this.#advance = createProgress({ count, weight: count }, 'browser tests')
  }

  onTestEnd() {
    this.#advance(1)
  }
}
