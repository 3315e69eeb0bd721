import { TABLE_PATH } from '../../app/bookings/table-path.ts'
import { japanese, pathIn } from '../../app/languages/language.ts'
import { languagesOfPage } from '../../app/languages/site-language.ts'
import { listPages } from '../../app/pages/pages.server.ts'
import { digestOf, logoOf } from '../../app/settings/logo.server.ts'
import { type LogoImage, logoImageUrl } from '../../app/settings/logo-image.ts'
import { readSite } from '../../app/settings/site.server.ts'
import { readLanguages } from '../../app/translations/site-languages.server.ts'
import { palettes } from '../../app/ui/palettes.ts'
import type { Db } from '../../db/tables.ts'
import { handleAt } from './page-handles.ts'

// Forms and members' pages are useless in search results.
const disallowedPaths = [
  '/*/*/add',
  '/*/*/edit',
  '/account',
  '/answer',
  '/api/',
  '/backup',
  '/bin',
  '/bussinessdays',
  '/calendar/*/people',
  '/calendar/occurrences',
  '/dining/prices',
  '/emaillogin',
  '/firestoreservice',
  '/history/',
  '/inbox',
  '/invitation',
  '/login',
  '/logout',
  '/membercreate',
  '/memberdetailconfirm',
  '/memberlist',
  '/notices',
  '/pages',
  '/resetpassword',
  '/signupform',
  '/site',
  '/staff',
  '/tables',
  '/today',
  '/translations',
  '/undo',
  '/unsubscribe',
  '/verifyemail',
  '/welcome',
]

/** Returns the content of robots.txt (RFC 9309). Rules match path prefixes, and the longest match wins. */
export function robots(origin: string) {
  return [
    'User-agent: *',
    // Without this line, the rule for /site would match the sitemap.
    'Allow: /sitemap.xml',
    ...disallowedPaths.map((path) => `Disallow: ${path}`),
    '',
    `Sitemap: ${origin}/sitemap.xml`,
    '',
  ].join('\n')
}

export async function sitemap(db: Db, origin: string) {
  const site = await readSite(db)
  const pages = (await listPages(db)).filter(({ shown, path }) => shown && handleAt(path).inSitemap)
  const japanesePaths = [...pages.map(({ path }) => path), ...(site.takesTableRequests ? [TABLE_PATH] : [])]
  const languages = await readLanguages(db, site)
  const paths = japanesePaths.flatMap((path) => {
    const codes = languagesOfPage(languages, handleAt(path)).map(({ code }) => code)
    return [path, ...codes.filter((code) => code !== japanese.code).map((code) => pathIn(code, path))]
  })
  const urls = paths.map((path) => `<url><loc>${origin}${path}</loc></url>`)
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join('')}</urlset>\n`
}

export async function webManifest(db: Db) {
  const site = await readSite(db)
  const { name, description } = site
  const { washi } = palettes[site.palette]
  const digest = digestOf(logoOf(site))
  const icon = (image: LogoImage, side: number, purpose: string) => {
    return { src: logoImageUrl(digest, image), sizes: `${side}x${side}`, type: 'image/png', purpose }
  }
  return {
    name,
    short_name: name,
    ...(description && { description }),
    lang: 'ja',
    id: '/',
    start_url: '/',
    // iOS offers push notifications only with `standalone`. Other browsers show the button to go back.
    display: 'standalone',
    display_override: ['minimal-ui'],
    background_color: washi,
    theme_color: washi,
    icons: [
      icon('icon-192.png', 192, 'any'),
      icon('icon-512.png', 512, 'any'),
      icon('maskable-192.png', 192, 'maskable'),
      icon('maskable-512.png', 512, 'maskable'),
    ],
  }
}
