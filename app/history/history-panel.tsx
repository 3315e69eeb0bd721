import { Form, Link, useLocation, useNavigation } from 'react-router'
import button from '../ui/button.module.css'
import { type Entry, type History, type Told, whenInWords } from './history.ts'
import styles from './history-panel.module.css'

type Props = {
  history: History
  /** Whether this visitor may put a state back: the page's action takes `intent=put back` and `revision`. */
  mayPutBack: boolean
  /** Asks for another page of the history where it is not the address that says which. */
  onPage?: (page: number) => void
}

const kinds: Record<Entry['kind'], string> = {
  added: '追加しました',
  changed: '変更しました',
  'put back': '元に戻しました',
  deleted: '削除しました',
}

/** What was changed on the form above it, by whom and when, and the way back to each state. */
export function HistoryPanel({ history, mayPutBack, onPage }: Props) {
  const { entries, page, older } = history
  if (entries.length === 0 && page === 1) return null
  return (
    <details className={styles.panel} open={page > 1}>
      <summary>これまでの変更</summary>
      <ol className={styles.entries}>
        {entries.map((entry) => (
          <Change key={entry.id} entry={entry} mayPutBack={mayPutBack} />
        ))}
      </ol>
      {(older || page > 1) && (
        <p className={styles.pages}>
          {page > 1 && (
            <Turn to={page - 1} onPage={onPage}>
              新しい変更
            </Turn>
          )}
          {older && (
            <Turn to={page + 1} onPage={onPage}>
              もっと前の変更
            </Turn>
          )}
        </p>
      )}
    </details>
  )
}

function Change({ entry, mayPutBack }: { entry: Entry; mayPutBack: boolean }) {
  const busy = useNavigation().state === 'submitting'
  const { id, at, by, kind, changes, canReturn } = entry
  const when = whenInWords(at)
  return (
    <li>
      <p className={styles.who}>
        <time dateTime={at}>{when}</time>
        <span>
          {by}が{kinds[kind]}
        </span>
      </p>
      {changes.length > 0 && (
        <dl className={styles.changes}>
          {changes.map((change) => (
            <What key={change.label} {...change} />
          ))}
        </dl>
      )}
      {mayPutBack && canReturn && (
        <Form method="post">
          <input type="hidden" name="intent" value="put back" />
          <input type="hidden" name="revision" value={id} />
          <button type="submit" className={button.button} aria-disabled={busy} aria-label={`この時点に戻す（${when}）`}>
            この時点に戻す
          </button>
        </Form>
      )}
    </li>
  )
}

function What({ label, before, after }: Told) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        {before && (
          <del>
            <span className="visually-hidden">前：</span>
            {before}
          </del>
        )}
        {after ? (
          <ins>
            <span className="visually-hidden">後：</span>
            {after}
          </ins>
        ) : (
          <span>（空にしました）</span>
        )}
      </dd>
    </div>
  )
}

function Turn({ to, onPage, children }: { to: number; onPage: Props['onPage']; children: string }) {
  const { search } = useLocation()
  if (onPage)
    return (
      <button type="button" className={button.button} onClick={() => onPage(to)}>
        {children}
      </button>
    )
  const query = new URLSearchParams(search)
  query.set('changes', String(to))
  return (
    <Link to={`?${query}`} className={button.button} preventScrollReset>
      {children}
    </Link>
  )
}
