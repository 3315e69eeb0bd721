import type { MetaDescriptor } from 'react-router'
import { type KnownOfRestaurant, restaurant } from '../shop/restaurant.ts'
import { sealPicture, share } from '../site/seal-picture.ts'

type Page = {
  title?: string
  /** Of home, which is called what the shop is: what is said behind that. */
  tail?: string | undefined
  description?: string | undefined
  path: string
  /** The path of the page's own first picture, in place of the shop's. */
  picture?: string | undefined
  /** Forms and members' screens say no. */
  listed?: boolean
}

/** Title, description, canonical address, share picture and structured data of a page; `root` is the root loader's data. None where there is no page. */
export function pageMeta(root: KnownOfRestaurant | undefined, page: Page | undefined): MetaDescriptor[] {
  if (!root || !page) return []
  const { site, origin } = root
  const { title, tail, description, path, picture, listed = true } = page
  const whole = title ? documentTitle(title, site) : tail ? `${site.name} | ${tail}` : site.name
  const about = description || site.description
  const address = `${origin}${path}`
  return [
    { title: whole },
    ...(about
      ? [
          { name: 'description', content: about },
          { property: 'og:description', content: about },
        ]
      : []),
    { tagName: 'link', rel: 'canonical', href: address },
    { property: 'og:type', content: 'website' },
    { property: 'og:site_name', content: site.name },
    { property: 'og:title', content: whole },
    { property: 'og:url', content: address },
    ...sharedPicture(root, picture),
    { property: 'og:locale', content: 'ja_JP' },
    { name: 'twitter:card', content: 'summary_large_image' },
    ...(listed ? structuredData(root) : [{ name: 'robots', content: 'noindex' }]),
  ]
}

function sharedPicture({ site, origin, sealDigest }: KnownOfRestaurant, own?: string) {
  const address = `${origin}${own ?? sealPicture(sealDigest, 'share.jpg')}`
  return [
    { property: 'og:image', content: address },
    ...(own
      ? []
      : [
          { property: 'og:image:width', content: `${share.width}` },
          { property: 'og:image:height', content: `${share.height}` },
          { property: 'og:image:alt', content: site.name },
        ]),
    { name: 'twitter:image', content: address },
  ]
}

/** How every page but home is called in a tab and among the results of a search. */
export function documentTitle(title: string, site: { name: string }) {
  return `${title} | ${site.name}`
}

// For search engines, who read what the server sends: a browser need not be able to make it.
function structuredData(root: KnownOfRestaurant) {
  const shop = import.meta.env.SSR && restaurant(root)
  return shop ? [{ 'script:ld+json': shop }] : []
}
