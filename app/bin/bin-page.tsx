import { Link } from 'react-router'
import { listRemovedSpecialDays, restoreSpecialDay } from '../business-days/hours-history.server.ts'
import { listDeletedEvents, restoreEvent } from '../calendar/events.server.ts'
import { collectionOfDeleted, listDeletedContentItems, restoreContentItem } from '../content/content-items.server.ts'
import { collectionWords } from '../content/content-words.ts'
import { dayWithYearInWords } from '../days/month.ts'
import { readForm } from '../form.server.ts'
import { pageMeta } from '../frame/page-meta.ts'
import { Live } from '../live/live.tsx'
import { topics } from '../live/topics.ts'
import { manageMember } from '../members/administration.server.ts'
import { aroundOf } from '../members/member-notices.server.ts'
import { troubles } from '../members/member-words.ts'
import { listDeletedMembers, namesOfAccounts } from '../members/members.server.ts'
import {
  mayEditCollection,
  mayEditDishesAndCalendar,
  mayManageMembers,
  refusedAdministrators,
  refusedCollection,
  refusedDishesAndCalendar,
} from '../permissions.ts'
import { whenInWords, whoInWords } from '../records/history.ts'
import { deletersOf } from '../records/revisions.server.ts'
import { accountsKey, authorOf, clockKey, dbKey, type RequestContext, readOr, visitorKey } from '../request.ts'
import { answered, failed, refused } from '../saving/answered.server.ts'
import { Refused } from '../saving/refused.tsx'
import type { SaveAnswer } from '../saving/save-answer.ts'
import { Outcome, SaveForm } from '../saving/save-form.tsx'
import { type Leaving, useLeaving } from '../saving/use-leaving.ts'
import { readSite } from '../site/site.server.ts'
import button from '../ui/button.module.css'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import type { Route } from './+types/bin-page.ts'
import styles from './bin-page.module.css'

const DAYS_KEPT = 90
const MS_PER_DAY = 24 * 60 * 60 * 1000
const PAGE = 50

const kinds = ['card', 'event', 'specialDay', 'member'] as const
type Kind = (typeof kinds)[number]
type Binned = { kind: Kind; id: string; where: string; title: string; deletedAt: string; accountId: string | null }

export const headers = () => ({ 'cache-control': 'private, no-store' })

export async function loader({ context, url }: Route.LoaderArgs) {
  const db = context.get(dbKey)
  const visitor = context.get(visitorKey)
  const site = await readSite(db)
  const sees = mayEditDishesAndCalendar(visitor, site)
  const binned = sees ? await readOr(context, [], () => listBinned(context)) : []
  const pages = Math.max(1, Math.ceil(binned.length / PAGE))
  const asked = Math.trunc(Number(url.searchParams.get('page'))) || 1
  const shown = Math.min(Math.max(1, asked), pages)
  const onPage = binned.slice((shown - 1) * PAGE, shown * PAGE)
  const names = await namesOfAccounts(
    db,
    visitor,
    onPage.flatMap(({ accountId }) => accountId ?? []),
  )
  return {
    entries: onPage.map(({ accountId, ...entry }) => ({ ...entry, by: whoInWords(accountId, names) })),
    page: shown,
    pages,
    refusal: sees ? null : refusedDishesAndCalendar(visitor, site),
  }
}

/** What this visitor may take out of the bin, the last thrown away first. */
async function listBinned(context: RequestContext): Promise<Binned[]> {
  const db = context.get(dbKey)
  const visitor = context.get(visitorKey)
  const site = await readSite(db)
  const since = new Date(context.get(clockKey)() - DAYS_KEPT * MS_PER_DAY).toISOString()
  const by = async <Row extends { id: string; deletedAt: string }>(subject: string, rows: Row[]) => {
    const deleters = await deletersOf(db, subject, rows)
    return rows.map((row) => ({ ...row, accountId: deleters.get(row.id) ?? null }))
  }
  const cards = (await listDeletedContentItems(db, since)).filter(({ collection }) =>
    mayEditCollection(visitor, collection, site),
  )
  const binned: Binned[] = [
    ...(await by('contentItem', cards)).map(({ title, text1, collection, ...card }) => ({
      ...card,
      kind: 'card' as const,
      where: collectionWords[collection],
      title: title || text1 || '題のない項目',
    })),
    ...(await by('event', await listDeletedEvents(db, since))).map(({ title, day, ...event }) => ({
      ...event,
      kind: 'event' as const,
      where: '予定',
      title: `${title}（${dayWithYearInWords(day)}）`,
    })),
    ...(await listRemovedSpecialDays(db, since)).map(({ day, reason, ...special }) => ({
      ...special,
      kind: 'specialDay' as const,
      id: day,
      where: '特別営業日',
      title: `${dayWithYearInWords(day)} ${reason}`,
    })),
    ...(await by('member', await listDeletedMembers(db, visitor, since))).map(({ username, ...member }) => ({
      ...member,
      kind: 'member' as const,
      where: 'メンバー',
      title: username,
    })),
  ]
  return binned.sort((a, b) => (a.deletedAt < b.deletedAt ? 1 : a.deletedAt > b.deletedAt ? -1 : 0))
}

const GONE = '見つかりませんでした。ほかの方が先に元に戻したようです。'
const OUTDATED = 'ほかの方が同時に変更しました。いまの内容をご確認ください。'

export async function action({ context, request }: Route.ActionArgs) {
  const visitor = context.get(visitorKey)
  const form = await readForm(request, ['kind', 'id'])
  const [kind, id] = [String(form.get('kind') ?? ''), String(form.get('id') ?? '').replaceAll('\0', '')]
  const intent = `${kind} ${id}`
  const answer = (status: number, said: SaveAnswer) => answered(request, { intent, ...said }, status)
  const site = await readSite(context.get(dbKey))
  if (!mayEditDishesAndCalendar(visitor, site)) return refused(visitor, refusedDishesAndCalendar(visitor, site), intent)
  let title = ''
  try {
    const binned = await listBinned(context)
    title = binned.find((each) => each.kind === kind && each.id === id)?.title ?? ''
    switch (kind) {
      case 'card':
        return await restoreCard()
      case 'event':
        return answerTo(await restoreEvent(context.get(dbKey), id, authorOf(context)))
      case 'specialDay':
        return answerTo(await restoreSpecialDay(context.get(dbKey), id, authorOf(context)))
      case 'member':
        return await restoreMember()
      default:
        return answer(400, { trouble: '操作を選び直してください。' })
    }
  } catch (error) {
    return answer(500, { trouble: failed(context, error) })
  }

  async function restoreCard() {
    const db = context.get(dbKey)
    const collection = await collectionOfDeleted(db, id)
    if (!collection) return answer(404, { trouble: GONE })
    if (!mayEditCollection(visitor, collection, site))
      return refused(visitor, refusedCollection(visitor, collection, site), intent)
    return answerTo(await restoreContentItem(db, id, authorOf(context)))
  }

  async function restoreMember() {
    if (!mayManageMembers(visitor)) return refused(visitor, refusedAdministrators(visitor), intent)
    const done = await manageMember(context.get(dbKey), visitor, id, 'restore', {
      at: authorOf(context).at,
      around: aroundOf(context),
      endSessions: (accountId) => context.get(accountsKey).endSessions(accountId),
    })
    if (done?.state === 'done') return answerTo({ outcome: 'saved' })
    const [trouble, status] = troubles[done?.state ?? 'not there']
    return answer(status, { trouble })
  }

  function answerTo({ outcome }: { outcome: 'saved' | 'newer' | 'missing' }) {
    if (outcome === 'saved') return answer(200, { done: `${title && `「${title}」を`}元に戻しました。` })
    return outcome === 'missing' ? answer(404, { trouble: GONE }) : answer(409, { trouble: OUTDATED })
  }
}

export { needsItsData as shouldRevalidate } from '../ui/needs-its-data.ts'

export function meta({ matches }: Route.MetaArgs) {
  return pageMeta(matches[0].loaderData, { title: 'ごみ箱', path: '/bin', listed: false })
}

export default function BinPage({ loaderData }: Route.ComponentProps) {
  const { entries, page: shown, pages, refusal } = loaderData
  const restoring = useLeaving(entries.map(nameOf))
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <Live topics={[...topics]} />
      <PageTitle title="ごみ箱" english="Bin" />
      {restoring.of === null && <Outcome save={restoring.save} />}
      {refusal ? (
        <Refused sentence={refusal} />
      ) : (
        <p className={styles.lead}>
          削除したものは、{DAYS_KEPT}日のあいだここから元に戻せます。戻すと、削除したときの内容で、もとの場所に出ます。
        </p>
      )}
      {!refusal && entries.length === 0 && <p>いまは何も入っていません。</p>}
      <ul className={styles.entries}>
        {entries.map((entry) => (
          <Entry key={nameOf(entry)} entry={entry} restoring={restoring} />
        ))}
      </ul>
      {pages > 1 && (
        <nav className={page.actions} aria-label="ほかのページ">
          {shown > 1 && (
            <Link to={`/bin?page=${shown - 1}`} className={button.button}>
              新しいもの
            </Link>
          )}
          {shown < pages && (
            <Link to={`/bin?page=${shown + 1}`} className={button.button}>
              前のもの
            </Link>
          )}
        </nav>
      )}
    </div>
  )
}

type ShownEntry = Route.ComponentProps['loaderData']['entries'][number]

// As the action names it in its answer.
function nameOf({ kind, id }: Pick<ShownEntry, 'kind' | 'id'>) {
  return `${kind} ${id}`
}

function Entry({ entry, restoring }: { entry: ShownEntry; restoring: Leaving }) {
  const { save, press, of } = restoring
  const { kind, id, where, title, deletedAt, by } = entry
  const name = nameOf(entry)
  return (
    <li>
      <div>
        <p className={styles.where}>{where}</p>
        <p className={styles.title}>{title}</p>
        <p className={styles.when}>
          <time dateTime={deletedAt}>{whenInWords(deletedAt)}</time>
          <span>{by}が削除</span>
        </p>
        {of === name && <Outcome save={save} />}
      </div>
      <SaveForm save={save}>
        <input type="hidden" name="kind" value={kind} />
        <input type="hidden" name="id" value={id} />
        <button
          type="submit"
          className={button.button}
          aria-disabled={save.busy}
          aria-label={`「${title}」を元に戻す`}
          onClick={() => press(name)}
        >
          元に戻す
        </button>
      </SaveForm>
    </li>
  )
}
