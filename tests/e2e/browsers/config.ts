import { defineConfig } from '@playwright/test'

export default defineConfig({
  testDir: '.',
  testMatch: 'journeys.ts',
  outputDir: '../../../test-results',
  reporter: 'list',
  workers: 1,
  timeout: 120_000,
  expect: { timeout: 15_000 },
  projects: [{ name: 'Firefox' }, { name: 'WebKit' }],
})
