import { CalendarPlus, Pencil } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { Form, useFetcher } from 'react-router'
import { HistoryPanel } from '../history/history-panel.tsx'
import { Refused } from '../site/refused.tsx'
import button from '../ui/button.module.css'
import { Confirm, Dialog } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import type { EventAnswer } from './calendar-answer.ts'
import styles from './event-dialog.module.css'
import { EventFields } from './event-form.tsx'
import type { loader as historyLoader } from './event-history.ts'
import { eventTimeInWords, type ShownEvent } from './event-words.ts'
import { dayInWords, dayWithYearInWords } from './month.ts'

type Props = {
  event: ShownEvent
  mayEdit: boolean
  seesControls: boolean
  /** Why nothing may be saved, and how that would change. */
  refusal: string
  sendsMail: boolean
  answer: EventAnswer | undefined
  busy: boolean
  onDelete: () => void
  onClose: () => void
  /** What else there is to read of the event. */
  children: ReactNode
}

/** An event whole; the pencil turns it into its form. */
export function EventDialog(props: Props) {
  const { event, mayEdit, seesControls, refusal, sendsMail, answer, busy, onDelete, onClose, children } = props
  const [mode, setMode] = useState<'read' | 'edit' | 'ask'>('read')
  // The version that was read when the editing began: what arrives meanwhile has not been seen by its editor.
  const [seen, setSeen] = useState(event.version)
  const outdated = answer?.newer?.id === event.id ? answer.newer : null
  const trouble = answer?.refusal ?? answer?.failed
  return (
    <Dialog title={event.title} onClose={onClose}>
      {mode === 'edit' ? (
        <>
          {!mayEdit && <Refused sentence={refusal} />}
          {trouble && <Notice kind="trouble">{trouble}</Notice>}
          {outdated && <Newer event={outdated} />}
          <fieldset disabled={!mayEdit} className={styles.fields}>
            <Form method="post" preventScrollReset>
              <Identity event={event} version={outdated?.version ?? seen} />
              <input type="hidden" name="day" value={event.day} />
              <EventFields values={event} errors={answer?.errors} sendsMail={sendsMail} />
              <div className={styles.actions}>
                <button type="button" className={button.button} onClick={() => setMode('read')}>
                  戻る
                </button>
                <SubmitButton name="intent" value="save" busy={busy}>
                  保存する
                </SubmitButton>
              </div>
            </Form>
            <Form method="post" preventScrollReset className={styles.move}>
              <Identity event={event} version={outdated?.version ?? seen} />
              <Field label="別の日に移す" errors={answer?.errors?.moved}>
                {(wiring) => (
                  <input
                    {...wiring}
                    type="date"
                    name="day"
                    min="1924-01-01"
                    max="2100-12-31"
                    defaultValue={event.day}
                  />
                )}
              </Field>
              <button type="submit" name="intent" value="move" className={button.button} aria-disabled={busy}>
                この日に移す
              </button>
            </Form>
          </fieldset>
          {mayEdit && <EventHistory id={event.id} version={event.version} />}
        </>
      ) : (
        <>
          <p className={styles.when}>
            {dayWithYearInWords(event.day)}
            {dayInWords(event.day).replace(/^[^（]*/, '')} {eventTimeInWords(event)}
          </p>
          {event.content && <p className={styles.content}>{event.content}</p>}
          {event.attendance && <Attendance event={event} />}
          {children}
          <div className={styles.actions}>
            <a className={button.button} href={`/calendar/${event.id}.ics`} download>
              <CalendarPlus size={18} aria-hidden />
              カレンダーに追加
            </a>
            {seesControls && (
              <button
                type="button"
                className={`${button.button} ${mayEdit ? '' : styles.quiet}`}
                onClick={() => {
                  setSeen(event.version)
                  setMode('edit')
                }}
              >
                <Pencil size={16} aria-hidden />
                編集する
              </button>
            )}
            {mayEdit && (
              <button type="button" className={button.button} onClick={() => setMode('ask')}>
                削除する
              </button>
            )}
            <button type="button" className={`${button.button} ${button.primary}`} onClick={onClose}>
              閉じる
            </button>
          </div>
        </>
      )}
      {mode === 'ask' && (
        <Confirm
          sentence={`${dayWithYearInWords(event.day)}のイベントを削除しますか？`}
          confirm="削除する"
          onConfirm={() => {
            setMode('read')
            onDelete()
          }}
          onCancel={() => setMode('read')}
        >
          <p className={styles.content}>{event.title}</p>
        </Confirm>
      )}
    </Dialog>
  )
}

/** Asked for when the event is edited: the calendar's page does not carry the past of all its events. */
function EventHistory({ id, version }: { id: string; version: number }) {
  const { data: history, load } = useFetcher<typeof historyLoader>()
  const ask = (page: number) => load(`/calendar/history?event=${id}&changes=${page}`)
  useEffect(() => {
    ask(1)
  }, [id, version])
  return history && <HistoryPanel history={history} mayPutBack onPage={ask} />
}

function Identity({ event, version }: { event: ShownEvent; version: number }) {
  return (
    <>
      <input type="hidden" name="id" value={event.id} />
      <input type="hidden" name="version" value={version} />
    </>
  )
}

function Attendance({ event }: { event: ShownEvent }) {
  const details = [
    event.capacity && `定員${event.capacity}名`,
    event.deadline && `締切${dayInWords(event.deadline)}`,
  ].filter(Boolean)
  return <p className={styles.attendance}>出欠をとります{details.length > 0 && `（${details.join('、')}）`}</p>
}

function Newer({ event }: { event: ShownEvent }) {
  return (
    <Notice kind="trouble">
      <p>ほかの方が先に保存しました。下が新しい内容です。見比べて、よろしければもう一度保存してください。</p>
      <dl className={styles.newer}>
        <dt>タイトル</dt>
        <dd>{event.title}</dd>
        <dt>日時</dt>
        <dd>
          {dayInWords(event.day)} {eventTimeInWords(event)}
        </dd>
        <dt>内容</dt>
        <dd className={styles.content}>{event.content || '（なし）'}</dd>
      </dl>
    </Notice>
  )
}
