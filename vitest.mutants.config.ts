import { globSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { mutate } from './stryker.config.json'
import site from './vitest.config.ts'

// Set by scripts/mutants.ts.
const rooms = process.env.MUTANTS_ROOMS?.split(',')

// Without a room, only pure modules are mutated, each against its own test: the workers have neither a database nor a
// browser. Rooms are tested with requests, on SQLite alone.
export default rooms
  ? {
      ...site,
      test: { ...site.test, include: rooms.map((room) => `app/${room}/**/*.test.ts`) },
    }
  : defineConfig({
      test: { include: globSync(mutate).map((file) => file.replace(/(?:\.server)?\.ts$/, '.test.ts')) },
    })
