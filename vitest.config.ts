import { reactRouter } from '@react-router/dev/vite'
import type { Plugin } from 'vite'
import { defineConfig } from 'vitest/config'

// Uses React's production build; the development build renders a page a fifth slower.
const asBuilt: Plugin = { name: 'as-built', enforce: 'post', config: () => ({ oxc: { jsx: { development: false } } }) }

// Vitest passes the conditions of Vite to Node. With the condition `module`, Node would load files that only bundlers can
// resolve.
const asInNode: Plugin = {
  name: 'as-in-node',
  configResolved({ ssr }) {
    const { conditions = [] } = ssr.resolve ?? {}
    ssr.resolve = { ...ssr.resolve, conditions: conditions.filter((condition) => condition !== 'module') }
  },
}

// scripts/test.ts measures the speed of the machine. `npm run abuse` repeats the random tests for hours.
const LIMIT_MS = (process.env.ABUSE ? 7_200_000 : 300_000) * Number(process.env.TEST_TIME_FACTOR ?? 1)

export default defineConfig({
  plugins: [reactRouter(), asBuilt, asInNode],
  test: {
    // Only a test that hangs reaches the limit, even on a busy machine.
    testTimeout: LIMIT_MS,
    hookTimeout: LIMIT_MS,
    include: ['{app,db,server,scripts,tests}/**/*.test.ts'],
    // PostgreSQL first: it runs as another user, who cannot access the folder of the run.
    globalSetup: ['db/testing-postgres.ts', 'db/testing-folder.ts'],
    setupFiles: ['app/accounts/testing-hash-cost.ts'],
    environment: 'node',
    // Vite loads the CommonJS modules of this package, whose imports lead to ES modules without file extensions.
    alias: { '@smithy/signature-v4': '@smithy/signature-v4/dist-es/index.js' },
    env: { NODE_ENV: 'production' },
    // Tests share no state, and without isolation the server's modules load once.
    isolate: false,
    // Most memory of a request is garbage at once.
    execArgv: ['--max-semi-space-size=64'],
    // Two run while one waits for a database, a process or a mail server. Each further worker loads all modules again.
    maxWorkers: 3,
  },
})
