import type { FullConfig, Reporter, Suite } from '@playwright/test/reporter'
import { createProgress } from './progress.ts'

export default class BrowserProgress implements Reporter {
  #advance = () => {}

  onBegin(_: FullConfig, suite: Suite) {
    this.#advance = createProgress(suite.allTests().length, 'browser tests')
  }

  onTestEnd() {
    this.#advance()
  }
}
