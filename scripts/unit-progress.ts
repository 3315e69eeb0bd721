import { statSync, writeFileSync } from 'node:fs'
import type { Reporter, SerializedError, TestModule, TestSpecification, Vitest } from 'vitest/node'
import { createProgress } from './progress.ts'

const sizeOf = ({ moduleId }: { moduleId: string }) => statSync(moduleId).size

export default class UnitProgress implements Reporter {
  #advance = (_: number) => {}
  #report = ''

  onInit({ config }: Vitest) {
    if (typeof config.outputFile === 'object') this.#report = config.outputFile.json ?? ''
  }

  onTestRunStart(files: readonly TestSpecification[]) {
    const weight = files.reduce((sum, file) => sum + sizeOf(file), 0)
    this.#advance = createProgress({ count: files.length, weight }, 'test files')
  }

  onTestModuleEnd(module: TestModule) {
    this.#advance(sizeOf(module))
  }

  /** Stores the errors outside the tests beside the JSON report, which does not contain them. */
  onTestRunEnd(_: readonly TestModule[], errors: readonly SerializedError[]) {
    if (errors.length > 0) writeFileSync(`${this.#report}.errors`, JSON.stringify(errors.map(({ stack }) => stack)))
  }
}
