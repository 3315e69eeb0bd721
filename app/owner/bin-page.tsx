import { assertAllowed } from '../forms/assert-allowed.ts'
import { formAction } from '../forms/form-action.server.ts'
import { denied, Rejection } from '../forms/outcome.ts'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import { type ListSave, useListSave } from '../forms/use-list-save.ts'
import { LiveUpdates } from '../live/live-updates.tsx'
import { topics } from '../live/topics.ts'
import { refusalOfCalendar } from '../permissions.ts'
import { formatAuthor, formatInstant } from '../records/history.ts'
import { lastRevision } from '../records/revisions.server.ts'
import { restoreFromBin } from '../records/undo.server.ts'
import { contextOf, readOr } from '../request.ts'
import { Button } from '../ui/button.tsx'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import { Pager } from '../ui/pager.tsx'
import type { Route } from './+types/bin-page.ts'
import { listBinned } from './bin.server.ts'
import styles from './bin-page.module.css'

const RETENTION_DAYS = 90
const MS_PER_DAY = 24 * 60 * 60 * 1000

export async function loader({ context, url }: Route.LoaderArgs) {
  const { db, visitor, clock, records } = contextOf(context)
  assertAllowed(refusalOfCalendar(visitor, await records.readRule(db)))
  const since = new Date(clock() - RETENTION_DAYS * MS_PER_DAY).toISOString()
  const page = Math.trunc(Number(url.searchParams.get('page'))) || 1
  const empty = { binned: [], page: 1, pages: 1 }
  const found = await readOr(context, empty, () => listBinned(context, { since, page }))
  const accountIds = found.binned.flatMap(({ accountId }) => accountId ?? [])
  const names = await records.namesOf(db, visitor, accountIds)
  return {
    entries: found.binned.map(({ accountId, ...entry }) => ({ ...entry, by: formatAuthor(accountId, names) })),
    page: found.page,
    pages: found.pages,
  }
}

const NOT_IN_BIN = '見つかりませんでした。すでに元に戻されているようです。'

export const action = formAction(
  { fields: ['kind', 'id'], intentOf: (field) => `${field('kind')} ${field('id')}`, refusal: refusalOfCalendar },
  async ({ db, context, visitor, records: { recordTypes, readRule }, field, author }) => {
    const [subject, id] = [field('kind'), field('id')]
    const kind = recordTypes.find((each) => each.subject === subject)
    if (!kind) throw new Rejection('操作を選び直してください。', 400)
    const last = await lastRevision(db, subject, id)
    if (!last?.before || last.after) throw new Rejection(NOT_IN_BIN, 404)
    const sentence = kind.refusal(visitor, await readRule(db), last.before)
    if (sentence) throw denied(visitor, sentence)
    const restored = await restoreFromBin(db, kind, id, author, context)
    if (!restored) throw new Rejection(NOT_IN_BIN, 404)
    return { done: `「${kind.titleOf(last.before)}」を元に戻しました。`, save: restored.save }
  },
)

export const handle = { title: 'ごみ箱', cache: 'none' }

export default function BinPage({ loaderData }: Route.ComponentProps) {
  const { entries, page: shown, pages } = loaderData
  const restoring = useListSave(entries.map(intentOf))
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <LiveUpdates topics={[...topics]} />
      <PageTitle title="ごみ箱" english="Bin" />
      {restoring.of === null && <Outcome save={restoring.save} />}
      <p className={styles.lead}>
        {`削除したものは、${RETENTION_DAYS}日のあいだここから元に戻せます。元に戻すと、削除したときの内容で、元の場所に表示されます。`}
      </p>
      {entries.length === 0 && <p>ごみ箱は空です。</p>}
      <ul className={styles.entries}>
        {entries.map((entry) => (
          <Entry key={intentOf(entry)} entry={entry} restoring={restoring} />
        ))}
      </ul>
      <Pager label="ほかのページ" page={shown} pages={pages} to={(number) => `/bin?page=${number}`} />
    </div>
  )
}

type ShownEntry = Route.ComponentProps['loaderData']['entries'][number]

// Returns the same intent as the form response, so that the result appears in the right entry.
function intentOf({ kind, id }: Pick<ShownEntry, 'kind' | 'id'>) {
  return `${kind} ${id}`
}

function Entry({ entry, restoring }: { entry: ShownEntry; restoring: ListSave }) {
  const { save, press, of } = restoring
  const { kind, id, where, title, deletedAt, by } = entry
  const name = intentOf(entry)
  return (
    <li>
      <div>
        <p className={styles.where}>{where}</p>
        <p className={styles.title}>{title}</p>
        <p className={styles.when}>
          <time dateTime={deletedAt}>{formatInstant(deletedAt)}</time>
          <span>{`${by}が削除`}</span>
        </p>
        {of === name && <Outcome save={save} />}
      </div>
      <SaveForm save={save} hiddenFields={{ kind, id }}>
        <Button
          type="submit"
          aria-disabled={save.busy}
          aria-label={`「${title}」を元に戻す`}
          onClick={() => press(name)}
        >
          元に戻す
        </Button>
      </SaveForm>
    </li>
  )
}
