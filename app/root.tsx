import type { ReactNode } from 'react'
import {
  isRouteErrorResponse,
  Links,
  Outlet,
  Scripts,
  ScrollRestoration,
  type ShouldRevalidateFunctionArgs,
  useLocation,
  useMatches,
  useRouteError,
  useRouteLoaderData,
} from 'react-router'
import type { Route } from './+types/root.ts'
import { useLocalFlags } from './accounts/local-flags.ts'
import { TABLE_PATH } from './bookings/table-path.ts'
import { ErrorMessage } from './chrome/error-message.tsx'
import { LanguageLinks, PreferredLanguage } from './chrome/language-links.tsx'
import { NavigationProgress } from './chrome/navigation-progress.tsx'
import { type Handle, PageMeta } from './chrome/page-meta.tsx'
import { SiteFooter } from './chrome/site-footer.tsx'
import { SiteHeader } from './chrome/site-header.tsx'
import { readToolbar } from './chrome/toolbar.server.ts'
import { useFocusRecovery } from './chrome/use-focus-recovery.ts'
import { useNewDay } from './chrome/use-new-day.ts'
import { usePageChange } from './chrome/use-page-change.ts'
import { useStaleRevalidation } from './chrome/use-stale-revalidation.ts'
import { dayInJapan, timeInJapan } from './dates/japan.ts'
import { resultOfFailure } from './forms/failed-response.ts'
import { readSchedule, readUnusualDays } from './hours/business-days.server.ts'
import { languageCode, t } from './languages/language.ts'
import { type GuestNotice, isOnPage } from './notices/notice.ts'
import { noticeTextFields } from './notices/notice-form.ts'
import { listNotices } from './notices/notices.server.ts'
import { isLinkOpen, isPageVisible, type KnownPage, navigationLinks, readPages } from './pages/pages.server.ts'
import type { Visitor } from './permissions.ts'
import { isDialogChange, keepOpenForm, replaceFailures } from './platform/router-workarounds.ts'
import { contextOf, type RequestContext, readOr } from './request.ts'
import { isShown, nextDisplayChange } from './sections/shown.ts'
import { digestOf, logoOf } from './settings/logo.server.ts'
import { logoImageUrl } from './settings/logo-image.ts'
import { publicSettings } from './settings/public-settings.server.ts'
import { readSite } from './settings/site.server.ts'
import { SiteSettings } from './settings/site.ts'
import { readLanguages } from './translations/site-languages.server.ts'
import { translateSite } from './translations/site-texts.server.ts'
import { readTranslator } from './translations/translations.server.ts'
import { Announcements } from './ui/announcements.tsx'
import { lazyComponent } from './ui/lazy-component.tsx'
import { palettes } from './ui/palettes.ts'
import { useHeadingFont } from './ui/use-heading-font.ts'
import './ui/palettes.css'
import './ui/site.css'

// These components are lazy, because guests need none of these components.
const PermissionDenied = lazyComponent(async () => (await import('./chrome/permission-denied.tsx')).default)
const Toolbar = lazyComponent(async () => (await import('./chrome/toolbar.tsx')).default)
const ToastLine = lazyComponent(async () => (await import('./chrome/toast-line.tsx')).default)
const SameVisitor = lazyComponent(async () => (await import('./live/same-visitor.tsx')).default)

export const clientMiddleware = [keepOpenForm, replaceFailures(resultOfFailure)]

export async function loader({ context }: Route.LoaderArgs) {
  const { db, clock, visitor, origin, lastChange } = contextOf(context)
  const site = await readOr(context, SiteSettings.parse({}), () => readSite(db))
  const schedule = await readOr(context, null, () => readSchedule(db))
  const asOf = clock()
  const pages = await readPages(context)
  const work = await readToolbar(context, site, pages)
  const languages = await readOr(context, [], () => readLanguages(db, site))
  return {
    site: publicSettings(await translateSite(context, site)),
    menu: navigationLinks('menu', pages, visitor),
    footer: [...tableLinks(site), ...navigationLinks('footer', pages, visitor)],
    schedule,
    unusualDays: await readOr(context, [], () => readUnusualDays(db, dayInJapan(asOf), schedule)),
    visitor,
    origin,
    sealDigest: digestOf(logoOf(site)),
    paper: palettes[site.palette].washi,
    ...(await readNotices(context, pages, asOf)),
    asOf,
    lastChange,
    ...(work && { work }),
    ...(languages.length > 0 && { languages }),
  }
}

function tableLinks({ takesTableRequests }: SiteSettings) {
  return takesTableRequests ? [{ to: TABLE_PATH, label: t('お席のお申し込み'), english: 'Table' }] : []
}

async function readNotices(context: RequestContext, pages: KnownPage[], asOf: number) {
  const { db, visitor } = contextOf(context)
  const now = timeInJapan(asOf)
  const notices = await readOr(context, [], () => listNotices(db, now))
  const translate = await readTranslator(context, 'notices')
  const isOpen = ({ id }: KnownPage) => isPageVisible(pages, id, visitor)
  const shown = notices
    .filter((notice) => isShown(notice, now) && pages.some((page) => isOnPage(notice, page.id) && isOpen(page)))
    .map((notice) => translate(notice.id, notice, noticeTextFields))
    .map(({ id, text, place, important, link }): GuestNotice => {
      return { id, text, place, important, link: link && isLinkOpen(pages, link, visitor) ? link : '' }
    })
  // The notices are one string, because the router takes a millisecond longer to encode a hundred objects.
  return { notices: JSON.stringify(shown), nextNoticeChange: nextDisplayChange(notices, now) }
}

export function shouldRevalidate(args: ShouldRevalidateFunctionArgs) {
  return !isDialogChange(args) && args.defaultShouldRevalidate
}

export function Layout({ children }: { children: ReactNode }) {
  const match = useMatches().at(-1)
  const hasFailed = Boolean(useRouteError())
  const surroundings = (match?.handle as Handle | undefined)?.surroundings ?? 'paper'
  const rootData = useRouteLoaderData<typeof loader>('root')
  const { pathname } = useLocation()
  useFocusRecovery()
  usePageChange()
  return (
    <html lang={languageCode()} data-palette={rootData?.site.palette}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        {rootData && match && !hasFailed && <PageMeta root={rootData} match={match} />}
        {rootData && <link rel="icon" href={logoImageUrl(rootData.sealDigest, 'icon-32.png')} type="image/png" />}
        {rootData && <link rel="apple-touch-icon" href={logoImageUrl(rootData.sealDigest, 'icon-180.png')} />}
        {/* Without the tag, browsers use the color at the top of the page. */}
        {rootData && surroundings === 'paper' && <meta name="theme-color" content={rootData.paper} />}
        <link rel="manifest" href="/manifest.webmanifest" />
        {import.meta.env.DEV && <Links />}
      </head>
      <body data-surroundings={surroundings}>
        <a className="skip-link" href="#main">
          {t('本文へ移る')}
        </a>
        {rootData && (
          <SiteHeader site={rootData.site} links={rootData.menu} visitor={rootData.visitor} path={pathname}>
            {rootData.languages && match && <LanguageLinks languages={rootData.languages} match={match} />}
          </SiteHeader>
        )}
        {/* The key remounts the element per header layout, so that nothing shifts when the header takes up space. */}
        <main key={surroundings} id="main" tabIndex={-1}>
          {children}
        </main>
        {rootData && <SiteFooter site={rootData.site} links={rootData.footer} />}
        {rootData?.languages && match && !hasFailed && (
          <PreferredLanguage languages={rootData.languages} match={match} />
        )}
        <NavigationProgress />
        {rootData && <SessionEffects {...rootData} />}
        {rootData?.visitor && <ToastLine />}
        {rootData?.work && <Toolbar work={rootData.work} />}
        <Announcements />
        <ScrollRestoration />
        <Scripts />
      </body>
    </html>
  )
}

/** Effects that outlive navigation. Rendered outside the element that remounts when the header layout changes. */
function SessionEffects({ visitor, asOf }: { visitor: Visitor; asOf: number }) {
  useLocalFlags(visitor)
  useHeadingFont()
  useStaleRevalidation()
  useNewDay(asOf)
  return visitor && <SameVisitor />
}

export default function Root() {
  return <Outlet />
}

export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  if (isRouteErrorResponse(error) && error.data?.refusal) return <PermissionDenied refusal={error.data.refusal} />
  return <ErrorMessage status={isRouteErrorResponse(error) ? error.status : 500} />
}
