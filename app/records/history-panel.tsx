import { useState } from 'react'
import { useLocation } from 'react-router'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import type { SaveResult } from '../forms/save-result.ts'
import { useSave } from '../forms/use-save.ts'
import { Button, LinkButton } from '../ui/button.tsx'
import { changeLabels, type Entry, type FieldChange, formatInstant, type History } from './history.ts'
import styles from './history-panel.module.css'

type Props = {
  history: History
  /** Loads another page of the history. By default, the panel renders links that set the URL parameter `changes`. */
  onPage?: (page: number) => void
  onPutBack?: (answer: RevertResult) => void
}

export type RevertResult = SaveResult & { version?: number | undefined }

export function HistoryPanel({ history, onPage, onPutBack }: Props) {
  const { entries, page, older } = history
  const save = useSave<RevertResult>({ intents: ['put back'], ...(onPutBack && { onDone: onPutBack }) })
  const [pressed, setPressed] = useState<string | null>(null)
  if (entries.length === 0 && page === 1) return null
  return (
    <details className={styles.panel} open={page > 1 || save.answer !== undefined}>
      <summary>変更履歴</summary>
      {!entries.some(({ id }) => id === pressed) && <Outcome save={save} />}
      <ol className={styles.entries}>
        {entries.map((entry) => (
          <li key={entry.id}>
            <Change {...entry} />
            {entry.canReturn && (
              <SaveForm save={save} action="/undo" hiddenFields={{ revision: entry.id }}>
                <Button
                  type="submit"
                  aria-disabled={save.busy}
                  aria-label={`この時点に戻す（${formatInstant(entry.at)}）`}
                  onClick={() => setPressed(entry.id)}
                >
                  この時点に戻す
                </Button>
              </SaveForm>
            )}
            {pressed === entry.id && <Outcome save={save} />}
          </li>
        ))}
      </ol>
      {(older || page > 1) && (
        <p className={styles.pages}>
          {page > 1 && <PageButton to={page - 1} label="新しい変更" onPage={onPage} />}
          {older && <PageButton to={page + 1} label="古い変更" onPage={onPage} />}
        </p>
      )}
    </details>
  )
}

function Change({ at, by, kind, changes }: Entry) {
  return (
    <>
      <p className={styles.who}>
        <time dateTime={at}>{formatInstant(at)}</time>
        <span>{`${by}が${changeLabels[kind]}`}</span>
      </p>
      {changes.length > 0 && (
        <dl className={styles.changes}>
          {changes.map((change) => (
            <FieldDiff key={change.label} {...change} />
          ))}
        </dl>
      )}
    </>
  )
}

function FieldDiff({ label, before, after }: FieldChange) {
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
          <span>（空欄にしました）</span>
        )}
      </dd>
    </div>
  )
}

function PageButton({ to, label, onPage }: Pick<Props, 'onPage'> & { to: number; label: string }) {
  const { search } = useLocation()
  if (onPage) return <Button onClick={() => onPage(to)}>{label}</Button>
  const query = new URLSearchParams(search)
  query.set('changes', String(to))
  return (
    <LinkButton to={`?${query}`} preventScrollReset>
      {label}
    </LinkButton>
  )
}
