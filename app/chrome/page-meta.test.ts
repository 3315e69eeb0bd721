import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import { PageSettings } from '../pages/page.ts'
import { publicSettings } from '../settings/public-settings.server.ts'
import { SiteSettings } from '../settings/site.ts'
import { PageMeta } from './page-meta.tsx'

const root = {
  site: publicSettings(SiteSettings.parse({ name: '食事処 むすび' })),
  schedule: null,
  unusualDays: [],
  menu: [],
  footer: [],
  origin: 'https://example.jp',
  sealDigest: '0123456789abcdef',
}

const page = { ...PageSettings.parse({}), id: 'dining' as const, path: '/dining', mayEdit: false }

function readImageTags(picture?: string) {
  const match = {
    id: 'dining',
    pathname: '/dining',
    params: {},
    data: null,
    loaderData: { about: page, picture },
    handle: undefined,
  }
  const html = renderToStaticMarkup(createElement(PageMeta, { root, match }))
  return html.match(/<meta (?:name|property)="[a-z]+:image[^>]*>/g)
}

describe('PageMeta', () => {
  test('links the share image of the shop when the page has no image', () => {
    const url = 'https://example.jp/seal/0123456789abcdef/share.jpg'
    expect(readImageTags()).toEqual([
      `<meta property="og:image" content="${url}"/>`,
      '<meta property="og:image:width" content="1200"/>',
      '<meta property="og:image:height" content="630"/>',
      '<meta property="og:image:alt" content="食事処 むすび"/>',
      `<meta name="twitter:image" content="${url}"/>`,
    ])
  })

  test('links the image of the page, without size and alternative text, when the page has an image', () => {
    for (const path of ['/pictures/0a1b-800.jpg', '/art/dish-soba-800.jpg']) {
      const url = `https://example.jp${path}`
      expect(readImageTags(path)).toEqual([
        `<meta property="og:image" content="${url}"/>`,
        `<meta name="twitter:image" content="${url}"/>`,
      ])
    }
  })
})
