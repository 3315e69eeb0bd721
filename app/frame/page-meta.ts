import type { MetaDescriptor } from 'react-router'
import { type KnownOfRestaurant, restaurant } from '../shop/restaurant.ts'

type Page = {
  title?: string
  /** Of home, which is called what the shop is: what is said behind that. */
  tail?: string | undefined
  description?: string | undefined
  path: string
  /** Forms and members' screens say no. */
  listed?: boolean
}

/** Title, description, canonical address, share picture and structured data of a page; `root` is the root loader's data. None where there is no page. */
export function pageMeta(root: KnownOfRestaurant | undefined, page: Page | undefined): MetaDescriptor[] {
  if (!root || !page) return []
  const { site, origin } = root
  const { title, tail, description, path, listed = true } = page
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
    { property: 'og:image', content: `${origin}/art/share-1200.jpg` },
    { property: 'og:locale', content: 'ja_JP' },
    { name: 'twitter:card', content: 'summary_large_image' },
    ...(listed ? structuredData(root) : [{ name: 'robots', content: 'noindex' }]),
  ]
}

/** How every page but home is called in a tab and among the results of a search. */
export function documentTitle(title: string, site: { name: string }) {
  return `${title} | ${site.name}`
}

// For search engines, who read what the server sends: a browser need not be able to make it.
function structuredData(root: KnownOfRestaurant) {
  return import.meta.env.SSR ? [{ 'script:ld+json': restaurant(root) }] : []
}
