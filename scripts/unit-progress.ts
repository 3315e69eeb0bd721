import { statSync } from 'node:fs'
import type { Reporter, TestModule, TestSpecification } from 'vitest/node'
import { createProgress } from './progress.ts'

const sizeOf = ({ moduleId }: { moduleId: string }) => statSync(moduleId).size

export default class UnitProgress implements Reporter {
  #advance = (_: number) => {}

  onTestRunStart(files: readonly TestSpecification[]) {
    const weight = files.reduce((sum, file) => sum + sizeOf(file), 0)
    this.#advance = createProgress({ count: files.length, weight }, 'test files')
  }

  onTestModuleEnd(module: TestModule) {
    this.#advance(sizeOf(module))
  }
}
