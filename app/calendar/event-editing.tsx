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
import { formatEventTime, type ShownEvent } from './event-format.ts'
import { ScopeField } from './repetition-fields.tsx'
import { useCalendarData } from './use-calendar-data.ts'
import type { CalendarDialog } from './use-calendar-dialog.ts'

/** The form response of the calendar. After a conflict, `newer` is the stored event. */
export type EventResult = SaveResult & { newer?: ShownEvent }

export type EditingProps = { event: ShownEvent; dialog: CalendarDialog; onBack: () => void }

export default function EventEditing({ event, dialog, onBack }: EditingProps) {
  const { mayEdit, refusal } = useCalendarData()
  // Stores the version at the start of the edit, because the editor has not seen later versions.
  const [seenVersion] = useState(event.version)
  const save = useSave<EventResult>({ intents: ['save'], leaves: true, onDone: dialog.close })
  const moveSave = useSave<EventResult>({ intents: ['move'], leaves: true, onDone: dialog.close })
  const { busy, answer, errors } = save
  const draft = useDraft({
    name: mayEdit ? `event ${event.id}` : null,
    version: seenVersion,
    start: eventFormValues(event),
    save,
    intent: 'save',
  })
  const newer = answer?.newer
  const version = newer?.version ?? moveSave.answer?.newer?.version ?? draft.restored?.version ?? seenVersion
  const values = draft.restored?.values ?? eventFormValues(event)
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
      <SaveForm save={save} draft={draft} ref={form} validates>
        <fieldset role="none" disabled={!mayEdit} className={styles.fields}>
          <EventIdentity event={event} version={version} />
          <input type="hidden" name="day" value={event.day} />
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
      <Outcome save={save}>{newer && !answer.trouble ? <NewerEvent event={newer} /> : undefined}</Outcome>
      <MoveForm event={event} version={version} save={moveSave} />
      {mayEdit && <EventHistory event={event} onRevert={handleRevert} />}
    </>
  )
}

function MoveForm({ event, version, save }: { event: ShownEvent; version: number; save: Saving<EventResult> }) {
  const { mayEdit } = useCalendarData()
  return (
    <SaveForm save={save} validates>
      <fieldset role="none" disabled={!mayEdit} className={`${styles.fields} ${styles.move}`}>
        <EventIdentity event={event} version={version} />
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

function EventIdentity({ event, version }: { event: ShownEvent; version: number }) {
  return (
    <>
      <input type="hidden" name="id" value={event.id} />
      <input type="hidden" name="version" value={version} />
    </>
  )
}

function NewerEvent({ event }: { event: ShownEvent }) {
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
