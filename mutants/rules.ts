import type { Mutant } from '../scripts/mutants.ts'

export default [
  {
    file: 'app/permissions.ts',
    text: 'return visitor !== null',
    broken: 'return true',
    tests: ['app/permissions.test.ts'],
  },
  {
    file: 'server/collections.ts',
    text: "c.header('cache-control', 'private, no-store')",
    broken: "c.header('cache-control', 'public')",
    tests: ['server/collections.test.ts'],
  },
] satisfies Mutant[]
