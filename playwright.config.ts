import { defineConfig } from '@playwright/test'
import { browserFlags, findBrowser } from './scripts/find-browser.ts'

// Pages are too short-lived to repay V8's optimizing compilers, parallel garbage collection and bytecode flushing.
const shortLived = `--js-flags=${['--no-turbofan', '--no-maglev', '--single-threaded-gc', '--min-semi-space-size=16', '--no-flush-bytecode'].join(' ')}`

// scripts/test.ts measures the speed of the machine.
const factor = Number(process.env.TEST_TIME_FACTOR ?? 1)

export default defineConfig({
  testDir: 'tests/e2e',
  testMatch: '*.spec.ts',
  outputDir: 'test-results',
  reporter: 'list',
  fullyParallel: true,
  workers: 2,
  retries: 0,
  // Two browsers and two sites share two cores. Tests assert results; the benchmark measures speed.
  timeout: 300_000 * factor,
  expect: { timeout: 30_000 * factor },
  forbidOnly: Boolean(process.env.CI),
  use: {
    browserName: 'chromium',
    screenshot: 'only-on-failure',
    locale: 'ja-JP',
    timezoneId: 'Asia/Tokyo',
    // Animations cost a core; tests of animations enable them.
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: {
      executablePath: findBrowser(),
      // Pages of one context share a process: starting another and compiling the scripts again takes half of a page's
      // time.
      args: [...browserFlags, '--in-process-gpu', '--process-per-site', '--renderer-process-limit=1', shortLived],
    },
  },
})
