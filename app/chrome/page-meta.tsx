import type { UIMatch } from 'react-router'
import { isJapanese, langOf, languageCode, pathIn } from '../languages/language.ts'
import { languagesOfPage, type SiteLanguage } from '../languages/site-language.ts'
import type { Page } from '../pages/page.ts'
import { LINK_PREVIEW_SIZE, logoImageUrl } from '../settings/logo-image.ts'
import { type RestaurantData, type RestaurantMetadata, restaurantMetadata } from '../shop/restaurant.ts'

export type Handle = {
  /**
   * `minute`, `day`: the server caches the page for guests for a minute or for a day in Japan. `browser`: only browsers
   * store the page, and revalidate it. `none`: no cache, even for guests.
   */
  cache: 'minute' | 'day' | 'browser' | 'none'
  /**
   * Use of each query parameter. `key`: one cached response per value. `dialog`: the data of the dialog is already
   * loaded. Unlisted parameters are `uncached`.
   */
  parameters?: Record<string, 'key' | 'dialog' | 'uncached'>
  inSitemap?: true
  /**
   * Group of translations that a language needs before guests can choose the page in that language. `program`: none. The
   * pages without a group are only in Japanese.
   */
  translations?: string
  surroundings?: 'hero' | 'night'
  title?: string | ((loaderData: never) => string)
  /** Returns the metadata of the page for search engines: the shop, completed by the data of the page, and other items. */
  metadata?: false | ((loaderData: never, shop: RestaurantMetadata) => object[])
  /** Excludes a page of `pages/page.ts` from search engines. Other pages are always excluded. */
  unlisted?: true
  /** Whether the request body is limited to 64 KB, which suffices for the short forms of accounts. */
  hasShortForms?: true
}

type PageData = { about?: Pick<Page, 'path' | 'title' | 'description'>; picture?: string | undefined } | undefined

export function PageMeta({ root, match }: { root: RestaurantData & { languages?: SiteLanguage[] }; match: UIMatch }) {
  const { site, origin } = root
  const { about, picture } = (match.loaderData as PageData) ?? {}
  const handle = match.handle as Handle | undefined
  const handleTitle = typeof handle?.title === 'function' ? handle.title(match.loaderData as never) : handle?.title
  const title = handleTitle ?? about?.title ?? ''
  const isListed = about && !handle?.unlisted
  const isHome = about?.path === '/'
  const fullTitle = isHome && title ? `${site.name} | ${title}` : title ? documentTitle(title, site) : site.name
  const description = about?.description || site.description
  const path = about?.path ?? match.pathname
  const url = `${origin}${pathIn(languageCode(), path)}`
  const languages = languagesOfPage(root.languages ?? [], handle)
  const image = `${origin}${picture ?? logoImageUrl(root.sealDigest, 'share.jpg')}`
  return (
    <>
      <title lang={langOf(fullTitle)}>{fullTitle}</title>
      {description && <meta name="description" content={description} lang={langOf(description)} />}
      {description && <meta property="og:description" content={description} lang={langOf(description)} />}
      <link rel="canonical" href={url} />
      {languages.map(({ code }) => (
        <link key={code} rel="alternate" hrefLang={code} href={`${origin}${pathIn(code, path)}`} />
      ))}
      {languages.length > 0 && <link rel="alternate" hrefLang="x-default" href={`${origin}${path}`} />}
      <meta property="og:type" content="website" />
      <meta property="og:site_name" content={site.name} lang={langOf(site.name)} />
      <meta property="og:title" content={fullTitle} lang={langOf(fullTitle)} />
      <meta property="og:url" content={url} />
      <meta property="og:image" content={image} />
      {!picture && <meta property="og:image:width" content={`${LINK_PREVIEW_SIZE.width}`} />}
      {!picture && <meta property="og:image:height" content={`${LINK_PREVIEW_SIZE.height}`} />}
      {!picture && <meta property="og:image:alt" content={site.name} lang={langOf(site.name)} />}
      <meta name="twitter:image" content={image} />
      <meta property="og:locale" content={isJapanese() ? 'ja_JP' : languageCode()} />
      <meta name="twitter:card" content="summary_large_image" />
      {isListed ? <StructuredData root={root} match={match} /> : <meta name="robots" content="noindex" />}
    </>
  )
}

export function documentTitle(title: string, site: { name: string }) {
  return `${title} | ${site.name}`
}

// Search engines read the HTML of the server, so browsers do not load the code of this metadata.
function StructuredData({ root, match }: { root: RestaurantData; match: UIMatch }) {
  const shop = import.meta.env.SSR && restaurantMetadata(root)
  if (!shop) return null
  const { metadata } = (match.handle as Handle | undefined) ?? {}
  const items = metadata ? metadata(match.loaderData as never, shop) : [shop]
  return items.map((item, index) => {
    const json = JSON.stringify(item).replaceAll('<', '\\u003c')
    return <script key={index} type="application/ld+json" dangerouslySetInnerHTML={{ __html: json }} />
  })
}
