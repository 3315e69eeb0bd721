import { globSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { mutate } from './stryker.config.json'

// Only pure modules are mutated, each against its own test: the workers have neither a database nor a browser.
export default defineConfig({
  test: {
    include: globSync(mutate).map((file) => file.replace(/(?:\.server)?\.ts$/, '.test.ts')),
  },
})
