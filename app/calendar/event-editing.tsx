import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useFetcher } from 'react-router'
import { formatDay } from '../dates/month.ts'
import { DeniedNotice } from '../forms/denied-notice.tsx'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import type { SaveResult } from '../forms/save-result.ts'
import { showToast } from '../forms/toast.ts'
import { useDraft } from '../forms/use-draft.ts'
import { type Saving, useSave } from '../forms/use-save.ts'
import type { History } from '../records/history.ts'
import { HistoryPanel } from '../records/history-panel.tsx'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import styles from './event-dialog.module.css'
import { EventFields, eventFormValues } from './event-form.tsx'
import { formatEventTime, type NewerEvent, type ShownEvent } from './event-format.ts'
import { ScopeField } from './repetition-fields.tsx'
import { useCalendarData } from './use-calendar-data.ts'
import type { CalendarDialog } from './use-calendar-dialog.ts'

/** The form response of the calendar. After a conflict, `newer` is the stored event. */
export type EventResult = SaveResult & { newer?: NewerEvent }

export type EditingProps = { event: ShownEvent; dialog: CalendarDialog; onBack: () => void }

export default function EventEditing({ event, dialog, onBack }: EditingProps) {
  const { mayEdit, refusal, laterVersions } = useCalendarData()
  // Stores the versions at the start of the edit, because the editor has not seen later versions.
  const [seen] = useState({ version: event.version, laterVersion: laterVersions[event.id] ?? 0 })
  // The draft stores `laterVersion` too.
  const start = { ...eventFormValues(event), laterVersion: String(seen.laterVersion) }
  const save = useSave<EventResult>({ intents: ['save'], leaves: true, onDone: dialog.close })
  const moveSave = useSave<EventResult>({ intents: ['move'], leaves: true, onDone: dialog.close })
  const { busy, answer, errors } = save
  const draft = useDraft({
    name: mayEdit ? `event ${event.id}` : null,
    version: seen.version,
    start,
    save,
    intent: 'save',
  })
  const newer = answer?.newer ?? moveSave.answer?.newer
  const values = draft.restored?.values ?? start
  const identity = {
    id: event.id,
    version: newer?.version ?? draft.restored?.version ?? seen.version,
    laterVersion: newer?.laterVersion ?? values.laterVersion ?? 0,
  }
  const form = useRef<HTMLFormElement>(null)
  useLayoutEffect(() => form.current?.querySelector<HTMLElement>('[name=title]')?.focus(), [])
  const handleRevert = async ({ done = '', undo }: SaveResult) => {
    draft.remove()
    await dialog.close()
    showToast({ done, undo, at: location.pathname })
  }
  return (
    <>
      {!mayEdit && <DeniedNotice sentence={refusal} />}
      <SaveForm
        save={save}
        draft={draft}
        ref={form}
        hiddenFields={{ ...identity, day: newer?.day ?? event.day }}
        once=""
        validates
      >
        <fieldset role="none" disabled={!mayEdit} className={styles.fields}>
          <EventFields key={draft.restored?.at} values={values} errors={errors} />
        </fieldset>
        <div className={styles.actions}>
          <Button onClick={onBack}>戻る</Button>
          <fieldset role="none" disabled={!mayEdit} className={styles.save}>
            <SubmitButton name="intent" value="save" busy={busy}>
              保存する
            </SubmitButton>
          </fieldset>
        </div>
      </SaveForm>
      <Outcome save={save}>
        {answer?.newer && !answer.trouble ? <StoredEvent event={answer.newer} /> : undefined}
      </Outcome>
      <MoveForm event={event} identity={identity} save={moveSave} />
      {mayEdit && <EventHistory event={event} onRevert={handleRevert} />}
    </>
  )
}

type MoveProps = { event: ShownEvent; identity: Record<string, string | number>; save: Saving<EventResult> }

function MoveForm({ event, identity, save }: MoveProps) {
  const { mayEdit } = useCalendarData()
  return (
    <SaveForm save={save} hiddenFields={identity} once="" validates>
      <fieldset role="none" disabled={!mayEdit} className={`${styles.fields} ${styles.move}`}>
        <Field label="日付を変更する" errors={save.errors?.day}>
          {(wiring) => (
            <input {...wiring} type="date" name="day" min="1924-01-01" max="2100-12-31" defaultValue={event.day} />
          )}
        </Field>
        {event.seriesId && <ScopeField />}
        <Button type="submit" name="intent" value="move" aria-disabled={save.busy}>
          この日に変更する
        </Button>
        <Outcome save={save} />
      </fieldset>
    </SaveForm>
  )
}

type HistoryProps = { event: ShownEvent; onRevert: (answer: SaveResult) => void }

/** Loads the history of the event when the edit starts, because the calendar page contains no event histories. */
function EventHistory({ event: { id, version }, onRevert }: HistoryProps) {
  const { data: history, load } = useFetcher<History>()
  const loadHistory = (page: number) => load(`/history/event/${id}?changes=${page}`)
  useEffect(() => {
    loadHistory(1)
  }, [id, version])
  return history && <HistoryPanel history={history} onPage={loadHistory} onPutBack={onRevert} />
}

function StoredEvent({ event }: { event: ShownEvent }) {
  return (
    <>
      <p>ほかの方が先に保存しました。下が新しい内容です。見比べて、よろしければもう一度保存してください。</p>
      <dl className={styles.newer}>
        <dt>タイトル</dt>
        <dd>{event.title}</dd>
        <dt>日時</dt>
        <dd>{`${formatDay(event.day)} ${formatEventTime(event)}`}</dd>
        <dt>内容</dt>
        <dd className={styles.content}>{event.content || '（なし）'}</dd>
      </dl>
    </>
  )
}
