import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

// The browser tests open only the first page for the layout, the film and the sheets of all these pages.
const likeOneAnother = ['municipal-architect', 'web-design', 'vba', 'social-efficiency']

test.each(likeOneAnother)('%s-page.tsx renders the introduction of a dark page without content of its own', (name) => {
  const source = readFileSync(`app/portfolio/${name}-page.tsx`, 'utf8')
  expect(source).toMatch(
    /handle = \{\s+cache: 'minute',\s+translations: '\w+',\s+inSitemap: true,\s+surroundings: 'night',?\s+\}/,
  )
  expect(source).toContain('return <Introduction {...loaderData} />\n')
})
