import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

// The browser tests open only the first page for the layout, the film and the sheets of all these pages.
const likeOneAnother = ['municipal-architect', 'web-design', 'vba', 'social-efficiency']

test.each(likeOneAnother)('%s-page.tsx renders the introduction of a dark page without content of its own', (name) => {
  const source = readFileSync(`app/portfolio/${name}-page.tsx`, 'utf8')
  expect(source).toContain("handle = { cache: 'minute', inSitemap: true, surroundings: 'night' }")
  expect(source).toContain('return <Introduction {...loaderData} />\n')
})
