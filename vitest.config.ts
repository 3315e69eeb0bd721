import { reactRouter } from '@react-router/dev/vite'
import type { Plugin } from 'vite'
import { defineConfig } from 'vitest/config'

// React as it runs in a site that is open to visitors; its other build takes a fifth longer for a page.
const asBuilt: Plugin = { name: 'as-built', enforce: 'post', config: () => ({ oxc: { jsx: { development: false } } }) }

export default defineConfig({
  plugins: [reactRouter(), asBuilt],
  test: {
    // A machine that is busy is slow, not wrong: what a test waits for must come, however late.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    include: ['{app,db,server,scripts,tests}/**/*.test.ts'],
    // PostgreSQL first: it runs as another user, who cannot look into the folder of the run.
    globalSetup: ['db/testing-postgres.ts', 'db/testing-folder.ts'],
    environment: 'node',
    env: { NODE_ENV: 'production' },
    // The world is an argument: what one file did is nothing to the next, and the server's build is read once.
    isolate: false,
    // What a request leaves behind is thrown away at once.
    execArgv: ['--max-semi-space-size=64'],
    // Two work while two wait for a database, a process or a mail server.
    maxWorkers: 4,
  },
})
