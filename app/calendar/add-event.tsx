import { useEffect, useState } from 'react'
import type { Day } from '../dates/month.ts'
import { DeniedNotice } from '../forms/denied-notice.tsx'
import { newKey, repeatsKey } from '../forms/idempotency-key.tsx'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import type { SaveResult } from '../forms/save-result.ts'
import { useDraft } from '../forms/use-draft.ts'
import { useSave } from '../forms/use-save.ts'
import { SubmitButton } from '../ui/submit-button.tsx'
import styles from './day-panel.module.css'
import { EventFields, eventFormValues } from './event-form.tsx'
import { useCalendarData } from './use-calendar-data.ts'

export default function AddEvent({ day }: { day: Day }) {
  const { mayEdit, refusal } = useCalendarData()
  const save = useSave({ intents: ['add'], resets: true })
  const id = useEventId(save.answer)
  const draft = useDraft({ name: mayEdit ? `event new ${day}` : null, start: eventFormValues(null), save })
  return (
    <details className={mayEdit ? styles.add : `${styles.add} ${styles.quiet}`} open={mayEdit}>
      <summary>予定を追加する</summary>
      {!mayEdit && <DeniedNotice sentence={refusal} />}
      <SaveForm save={save} draft={draft} hiddenFields={{ id, day }} validates>
        <fieldset role="none" disabled={!mayEdit} className={styles.fields}>
          <EventFields
            key={draft.restored?.at}
            values={draft.restored?.values ?? {}}
            errors={save.errors}
            repeatsFrom={day}
          />
          <SubmitButton name="intent" value="add" busy={save.busy}>
            追加する
          </SubmitButton>
        </fieldset>
      </SaveForm>
      <Outcome save={save} />
    </details>
  )
}

/**
 * Generates an event ID for each form. A repeated submission adds one event, and two forms never share an ID. A response
 * with an error leaves the ID, because an earlier submission may have added its event.
 */
function useEventId(answer: SaveResult | undefined) {
  const [id, setId] = useState('')
  useEffect(() => {
    if (!repeatsKey(answer)) setId(newKey().replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5'))
  }, [answer])
  return id
}
