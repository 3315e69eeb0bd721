import { reactRouter } from '@react-router/dev/vite'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  plugins: [reactRouter()],
  test: {
    // A machine that is busy is slow, not wrong: what a test waits for must come, however late.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    include: ['{app,db,server,scripts}/**/*.test.ts'],
    globalSetup: 'db/testing-postgres.ts',
    environment: 'node',
    // The world is an argument: what one file did is nothing to the next, and the server's build is read once.
    isolate: false,
    // Half of the work is waiting for a database: two at once keep two cores busy.
    maxWorkers: 2,
  },
})
