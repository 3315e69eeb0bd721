import type { Reporter, TestSpecification } from 'vitest/node'
import { createProgress } from './progress.ts'

export default class UnitProgress implements Reporter {
  #advance = () => {}

  onTestRunStart(files: readonly TestSpecification[]) {
    this.#advance = createProgress(files.length, 'test files')
  }

  onTestModuleEnd() {
    this.#advance()
  }
}
