import { globSync, readFileSync } from 'node:fs'
import postcss from 'postcss'
import { expect, test } from 'vitest'

test('sets no text size in pixels, so that the text size of the browser applies', () => {
  const fixedSizes: string[] = []
  for (const file of globSync('app/**/*.css'))
    postcss.parse(readFileSync(file, 'utf8')).walkDecls(/^(?:font|font-size|line-height)$/, ({ prop, value }) => {
      if (/\dpx/.test(value)) fixedSizes.push(`${file}: ${prop}: ${value}`)
    })
  expect(fixedSizes).toEqual([])
})
