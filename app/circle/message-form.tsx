import { useEffect, useRef } from 'react'
import { InputField } from '../forms/input-field.tsx'
import { SaveForm } from '../forms/save-form.tsx'
import type { SaveResult } from '../forms/save-result.ts'
import type { Saving } from '../forms/use-save.ts'
import { maxCodeUnits } from '../ui/characters.ts'
import disclosure from '../ui/disclosure.module.css'
import { Field, namedOptions } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import { audiences } from './circle-message.ts'
import styles from './message.module.css'

/**
 * The recipients of a message. `id` identifies the message, so that it is sent once. The form submits the ID again with
 * each preview until a response reports the result. `unverified` and `muted` are the names of the members who will not
 * receive the message.
 */
type Preview = { id: string; audience: string; count: number; hasLink: boolean; unverified: string; muted: string }
export type MessageResult = SaveResult & { preview?: Preview }

type Props = {
  save: Saving<MessageResult>
  values: Record<string, string>
  events: [id: string, name: string][]
  members: { id: string; username: string }[]
}

export function MessageForm({ save, values, events, members }: Props) {
  const { settled, errors, busy, isTyped } = save
  return (
    <SaveForm save={save} className={styles.form} hiddenFields={{ id: settled?.preview?.id ?? '' }}>
      <fieldset className={styles.choices}>
        <legend>宛先</legend>
        {Object.entries(audiences).map(([audience, label]) => (
          <label key={audience}>
            <input type="radio" name="audience" value={audience} defaultChecked={values.audience === audience} />
            {label}
          </label>
        ))}
      </fieldset>
      <Field
        label="予定"
        hint="選ぶと、出欠を回答できるリンクを、お一人ずつ本文の下に付けます。"
        errors={errors?.event}
      >
        {(wiring) => (
          <select {...wiring} name="event" defaultValue={values.event}>
            <option value="">選ばない</option>
            {namedOptions(events)}
          </select>
        )}
      </Field>
      <details className={`${disclosure.disclosure} ${styles.members}`} open={errors?.member !== undefined}>
        <summary>「選んだ方」を選ぶ</summary>
        <p id="member-error" className={styles.error}>
          {errors?.member}
        </p>
        <div className={styles.choices}>
          {members.map(({ id, username }) => (
            <label key={id}>
              <input
                type="checkbox"
                name="member"
                value={id}
                aria-invalid={errors?.member && true}
                aria-describedby={errors?.member && 'member-error'}
              />
              {username}
            </label>
          ))}
        </div>
      </details>
      <InputField label="件名" required name="subject" maxLength={maxCodeUnits(100)} {...{ values, errors }} />
      <Field label="本文" required errors={errors?.text}>
        {(wiring) => (
          <textarea {...wiring} name="text" rows={8} maxLength={maxCodeUnits(5000)} defaultValue={values.text} />
        )}
      </Field>
      <SubmitButton name="intent" value="preview" busy={busy} meanwhile="確認しています…">
        人数を確認する
      </SubmitButton>
      {/* The message may have been sent if the response was lost, so only the same preview can send it again. */}
      {settled?.preview && !isTyped && (
        <Sending key={settled.preview.id} preview={settled.preview} values={values} save={save} />
      )}
    </SaveForm>
  )
}

type SendingProps = Pick<Props, 'save' | 'values'> & { preview: Preview }

function Sending({ preview, values, save }: SendingProps) {
  const { audience, count, hasLink, unverified, muted } = preview
  const box = useRef<HTMLDivElement>(null)
  const { busy } = save
  useEffect(() => {
    box.current?.scrollIntoView({ block: 'nearest' })
    save.updateAnchor()
  }, [busy])
  return (
    <div ref={box} className={styles.preview}>
      <Notice kind="done">
        <p>{`${audience}：${count}名にお送りします。送信したメールは取り消せません。`}</p>
        {unverified && <p>{`確認済みのメールアドレスがなく、届かない方：${unverified}`}</p>}
        {muted && <p>{`連絡のメールを停止していて、届かない方：${muted}`}</p>}
      </Notice>
      <p className={styles.text}>
        {`${values.subject}\n\n（お名前） 様\n\n${values.text}${hasLink ? '\n\n（出欠を回答するリンク）' : ''}`}
      </p>
      {count > 0 && (
        <SubmitButton name="intent" value="send" busy={busy} meanwhile="送信しています…">
          {`${count}名に送信する`}
        </SubmitButton>
      )}
    </div>
  )
}
