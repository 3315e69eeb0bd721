import { defineConfig } from '@playwright/test'
import { browserFlags, findBrowser } from './scripts/find-browser.ts'

// No page lives long enough to repay what V8 would do beside it: compile anew what runs often, tidy up, forget old scripts.
const shortLived = `--js-flags=${['--no-turbofan', '--no-maglev', '--single-threaded-gc', '--min-semi-space-size=16', '--no-flush-bytecode'].join(' ')}`

export default defineConfig({
  testDir: 'tests/e2e',
  testMatch: '*.spec.ts',
  outputDir: 'test-results',
  reporter: 'list',
  fullyParallel: true,
  workers: 2,
  retries: 0,
  // Two browsers and two sites share two cores: what is asserted is that it comes, how fast is measured by the bench.
  timeout: 60_000,
  expect: { timeout: 15_000 },
  forbidOnly: Boolean(process.env.CI),
  use: {
    browserName: 'chromium',
    locale: 'ja-JP',
    timezoneId: 'Asia/Tokyo',
    // What moves by itself costs a core; tests about that ask for it.
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: {
      executablePath: findBrowser(),
      // Pages of one context share a process: to begin another, and read our scripts anew, takes half of what a page does.
      args: [...browserFlags, '--in-process-gpu', '--process-per-site', '--renderer-process-limit=1', shortLived],
    },
  },
})
