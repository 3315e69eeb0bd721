import { expect, test } from 'vitest'
import { publicFacts } from '../site/public-facts.server.ts'
import { SiteFacts } from '../site/site.ts'
import { pageMeta } from './page-meta.ts'

const root = {
  site: publicFacts(SiteFacts.parse({ name: '食事処 むすび' })),
  schedule: null,
  unusualDays: [],
  origin: 'https://example.jp',
  sealDigest: '0123456789abcdef',
}

const pictures = (picture?: string) =>
  pageMeta(root, { path: '/dining', picture }).filter((each) => /:image/.test(JSON.stringify(Object.values(each)[0])))

test('a link to a page comes with the shop’s picture', () => {
  const address = 'https://example.jp/seal/0123456789abcdef/share.jpg'
  expect(pictures()).toEqual([
    { property: 'og:image', content: address },
    { property: 'og:image:width', content: '1200' },
    { property: 'og:image:height', content: '630' },
    { property: 'og:image:alt', content: '食事処 むすび' },
    { name: 'twitter:image', content: address },
  ])
})

test('a page’s own picture takes its place, and nothing is said of it that is the shop’s', () => {
  for (const path of ['/pictures/0a1b-800.jpg', '/art/dish-soba-800.jpg']) {
    const address = `https://example.jp${path}`
    expect(pictures(path)).toEqual([
      { property: 'og:image', content: address },
      { name: 'twitter:image', content: address },
    ])
  }
})
