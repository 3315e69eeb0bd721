import { CalendarPlus, Pencil } from 'lucide'
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useFetchers } from 'react-router'
import { formatDayWithYear, formatFullDay } from '../dates/month.ts'
import { t } from '../languages/language.ts'
import { words } from '../languages/words.tsx'
import button from '../ui/button.module.css'
import { Button, LinkButton } from '../ui/button.tsx'
import { Confirm, Dialog } from '../ui/dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import { lazyComponent } from '../ui/lazy-component.tsx'
import { retryLoad } from '../ui/retry-load.ts'
import styles from './event-dialog.module.css'
import type { EditingProps } from './event-editing.tsx'
import { formatDeadline, formatEventTime, MEMBERS_ONLY, type ShownEvent } from './event-format.ts'
import { formatRecurrence, type Scope } from './series.ts'
import { useCalendarData } from './use-calendar-data.ts'

const loadEditing = () => import('./event-editing.tsx')
const Editing = lazyComponent(async () => (await loadEditing()).default)

type Props = Omit<EditingProps, 'onBack'> & {
  busy: boolean
  onDelete: (scope: Scope) => void
  /** Receives the event while its form is open. */
  onEdit: (event: ShownEvent | undefined) => void
  children: ReactNode
}

export function EventDialog(props: Props) {
  const { event, dialog, onDelete, onEdit } = props
  const { seesControls } = useCalendarData()
  const [mode, setMode] = useState<'read' | 'edit' | 'back' | 'ask'>('read')
  useEffect(() => onEdit(mode === 'edit' ? event : undefined), [mode, event])
  // Preloads the form, so that the edit button works without a connection.
  useEffect(() => {
    if (seesControls) retryLoad(loadEditing)
  }, [seesControls])
  // The dialog must stay open during a submission, so that the response of the form is displayed.
  const confirmDelete = (scope: Scope) => {
    setMode('read')
    onDelete(scope)
  }
  const isSending = useFetchers().some(({ state }) => state === 'submitting')
  return (
    <Dialog title={event.title} onClose={() => isSending || dialog.close()}>
      {mode === 'edit' ? (
        <Editing {...props} onBack={() => isSending || setMode('back')} />
      ) : (
        <EventDetails
          {...props}
          wasEditing={mode === 'back'}
          onEdit={() => setMode('edit')}
          onRequestDelete={() => setMode('ask')}
        />
      )}
      {mode === 'ask' && (
        <Confirm
          sentence={`${formatDayWithYear(event.day)}のイベントを削除しますか？`}
          {...(event.seriesId && {
            confirm: 'この回だけ削除する',
            other: <Button onClick={() => confirmDelete('later')}>この回以降を削除する</Button>,
          })}
          onConfirm={() => confirmDelete('one')}
          onCancel={() => setMode('read')}
        >
          <p className={styles.content}>{event.title}</p>
        </Confirm>
      )}
    </Dialog>
  )
}

type DetailsProps = Omit<Props, 'onEdit'> & {
  /** Whether the user has just closed the form. The edit button then receives the focus. */
  wasEditing: boolean
  onEdit: () => void
  onRequestDelete: () => void
}

function EventDetails(props: DetailsProps) {
  const { event, dialog, busy, children, wasEditing, onEdit, onRequestDelete } = props
  const { hasCircle, mayEdit, seesControls } = useCalendarData()
  const editButton = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => {
    if (wasEditing) editButton.current?.focus()
  }, [])
  return (
    <>
      <p className={styles.when}>{`${formatFullDay(event.day)} ${formatEventTime(event)}`}</p>
      {event.recurrence && event.occurrence && (
        <p className={styles.when}>{formatRecurrence(event.recurrence, event.occurrence)}</p>
      )}
      {event.content && <p className={styles.content}>{words(event.content)}</p>}
      {event.membersOnly && <p className={styles.attendance}>{`公開範囲：${MEMBERS_ONLY}`}</p>}
      {hasCircle && event.attendance && <RsvpSummary event={event} />}
      {children}
      <div className={styles.actions}>
        <a className={button.button} href={`/calendar/${event.id}.ics`} download>
          <Icon of={CalendarPlus} size={18} />
          {t('カレンダーに追加')}
        </a>
        {seesControls && (
          <button
            ref={editButton}
            type="button"
            className={mayEdit ? button.button : `${button.button} ${styles.quiet}`}
            onClick={onEdit}
          >
            <Icon of={Pencil} size={16} />
            編集する
          </button>
        )}
        {mayEdit && (
          <Button aria-disabled={busy} onClick={() => busy || onRequestDelete()}>
            削除する
          </Button>
        )}
        <LinkButton {...dialog.closeLink} primary>
          {t('閉じる')}
        </LinkButton>
      </div>
    </>
  )
}

function RsvpSummary({ event }: { event: ShownEvent }) {
  const details = [
    event.capacity && t('定員{count}名', { count: event.capacity }),
    event.deadline && t('締切{day}', { day: formatDeadline(event) }),
  ].filter(Boolean)
  const cause = details.join(t('、'))
  return <p className={styles.attendance}>{t('出欠をとります') + (cause && t('（{cause}）', { cause }))}</p>
}
