import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { languages } from './languages.server.ts'

const CALL = /\bt\(\s*(?:'((?:[^'\\]|\\.)*)'|`([^`$]*)`)/g

const files = globSync('app/**/*.{ts,tsx}', { exclude: ['**/*.test.ts'] })
const texts = files.flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(CALL)].map(([, quoted, template]) => quoted ?? template ?? ''),
)

test.for(languages)('$name has all texts of the program', ({ texts: dictionary }) => {
  expect(texts.length).toBeGreaterThan(150)
  expect(texts.filter((text) => !(text in dictionary))).toEqual([])
})

test.for(languages)('$name keeps the values of every text', ({ texts: dictionary }) => {
  const slots = (text: string) => [...new Set(text.match(/\{\w+\}/g))].sort()
  for (const [text, entry] of Object.entries(dictionary)) {
    const forms = typeof entry === 'string' ? [entry] : Object.values(entry)
    expect(forms.length, text).toBeGreaterThan(0)
    // A form of a number may leave the number out, such as "Read the notice".
    for (const form of forms) expect(slots(text), text).toEqual(expect.arrayContaining(slots(form)))
  }
})
