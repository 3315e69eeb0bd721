import type { MetaDescriptor } from 'react-router'
import { type KnownOfRestaurant, restaurant } from '../shop/restaurant.ts'

type Page = {
  title?: string
  description?: string
  path: string
  /** Forms and members' screens say no. */
  listed?: boolean
}

/** Title, description, canonical address, share picture and structured data of a page; `root` is the root loader's data. */
export function pageMeta(
  root: KnownOfRestaurant | undefined,
  { title, description, path, listed = true }: Page,
): MetaDescriptor[] {
  if (!root) return []
  const { site, origin } = root
  const whole = title ? documentTitle(title, site) : `${site.name} | 京都の朝ごはんとお昼`
  const about = description ?? site.description
  const address = `${origin}${path}`
  return [
    { title: whole },
    { name: 'description', content: about },
    { tagName: 'link', rel: 'canonical', href: address },
    { property: 'og:type', content: 'website' },
    { property: 'og:site_name', content: site.name },
    { property: 'og:title', content: whole },
    { property: 'og:description', content: about },
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
