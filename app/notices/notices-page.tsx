import { Outlet } from 'react-router'
import { timeInJapan } from '../dates/japan.ts'
import { formatFullDay } from '../dates/month.ts'
import { assertAllowed } from '../forms/assert-allowed.ts'
import { LiveUpdates } from '../live/live-updates.tsx'
import { refusalOfCalendar } from '../permissions.ts'
import { contextOf } from '../request.ts'
import { isShown } from '../sections/shown.ts'
import { readSite } from '../settings/site.server.ts'
import { Button, LinkButton } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import { parseUrl } from '../ui/safe-link.ts'
import { useBrowserSupport } from '../ui/use-browser-support.ts'
import type { Route } from './+types/notices-page.ts'
import type { Notice } from './notice.ts'
import { places } from './notice-form.ts'
import { NoticeText } from './notice-stack.tsx'
import { listNotices } from './notices.server.ts'
import styles from './notices-page.module.css'
import { useNoticeUpdates } from './use-notices.ts'

export async function loader({ context }: Route.LoaderArgs) {
  const { db, visitor, clock } = contextOf(context)
  assertAllowed(refusalOfCalendar(visitor, await readSite(db)))
  const now = timeInJapan(clock())
  const notices = await listNotices(db)
  return {
    current: notices.filter((notice) => isShown(notice, now)),
    coming: notices.filter(({ shownFrom }) => shownFrom > now).sort((a, b) => a.shownFrom.localeCompare(b.shownFrom)),
    past: notices
      .filter(({ shownUntil }) => shownUntil !== '' && shownUntil <= now)
      .sort((a, b) => b.shownUntil.localeCompare(a.shownUntil)),
  }
}

export const handle = { title: 'お知らせ', cache: 'none' }

export default function NoticesPage({ loaderData: { current, coming, past }, matches }: Route.ComponentProps) {
  const { origin } = matches[0].loaderData
  useNoticeUpdates()
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <LiveUpdates topics={['notices']} />
      <PageTitle title="お知らせ" english="Notices">
        <LinkButton to="/notices/new/add" state={{ over: true }} primary preventScrollReset>
          お知らせを書く
        </LinkButton>
      </PageTitle>
      <section aria-labelledby="current">
        <h2 id="current" className={styles.heading}>
          表示中
        </h2>
        {current.length === 0 && <p>いま表示しているお知らせはありません。</p>}
        <NoticeEntries notices={current} origin={origin} />
      </section>
      {coming.length > 0 && (
        <section className={page.section} aria-labelledby="coming">
          <h2 id="coming">これから表示</h2>
          <NoticeEntries notices={coming} origin={origin} />
        </section>
      )}
      {past.length > 0 && (
        <details className={styles.past}>
          <summary>{`表示の終わったお知らせ（${past.length}件）`}</summary>
          <NoticeEntries notices={past} origin={origin} />
        </details>
      )}
      <Outlet />
    </div>
  )
}

function NoticeEntries({ notices, origin }: { notices: Notice[]; origin: string }) {
  const canShare = useBrowserSupport('share')
  return (
    <ul className={styles.entries}>
      {notices.map((notice) => {
        const shared = sharedText(notice, origin)
        return (
          <li key={notice.id} id={`notice-${notice.id}`}>
            <p className={styles.display}>{`${places[notice.place]}｜${formatDisplay(notice)}`}</p>
            <p className={styles.text}>
              <NoticeText notice={notice} />
            </p>
            {notice.link && <p className={styles.display}>{`リンク：${notice.link}`}</p>}
            <div className={styles.buttons}>
              <LinkButton to={`/notices/${notice.id}/edit`} state={{ over: true }} preventScrollReset>
                編集する
              </LinkButton>
              <CopyButton text={shared}>文章をコピー</CopyButton>
              {canShare && (
                <Button onClick={() => void navigator.share({ text: shared }).catch(() => {})}>共有する</Button>
              )}
            </div>
          </li>
        )
      })}
    </ul>
  )
}

function formatDisplay({ shownFrom, shownUntil }: Notice) {
  if (!shownFrom && !shownUntil) return '期間の定めなし'
  return `${formatTime(shownFrom)}〜${formatTime(shownUntil)}`
}

function formatTime(time: string) {
  const [day = '', minute] = time.split('T')
  return time && `${formatFullDay(day)} ${minute}`
}

/** Returns the text of a notice with the absolute URL of its link. */
function sharedText({ text, link }: Notice, origin: string) {
  return [text, link && parseUrl(link, origin)?.href].filter(Boolean).join('\n')
}
