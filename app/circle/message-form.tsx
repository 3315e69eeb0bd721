import { useEffect, useRef } from 'react'
import { SaveForm } from '../forms/save-form.tsx'
import type { SaveResult } from '../forms/save-result.ts'
import type { Saving } from '../forms/use-save.ts'
import { Button } from '../ui/button.tsx'
import { maxCodeUnits } from '../ui/characters.ts'
import { Field, namedOptions } from '../ui/field.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import { audienceLabels } from './circle-message.ts'
import styles from './message.module.css'

type Values = Record<string, string>
/** The recipients before the message is sent. `id` identifies the message, so that it is sent once. */
type Preview = {
  id: string
  audience: string
  hasLink: boolean
  count: number
  unverified: string[]
  muted: string[]
}
export type MessageResult = SaveResult & { preview?: Preview }

type EditorProps = {
  save: Saving<MessageResult>
  values: Values
  events: { id: string; name: string }[]
  members: { id: string; username: string }[]
}

export function MessageEditor({ save, values, events, members }: EditorProps) {
  const { errors } = save
  const chosenIds = values.member?.split(' ') ?? []
  return (
    <SaveForm save={save} className={styles.form}>
      <fieldset className={styles.audience}>
        <legend>宛先</legend>
        {Object.entries(audienceLabels).map(([audience, label]) => (
          <label key={audience}>
            <input type="radio" name="audience" value={audience} defaultChecked={values.audience === audience} />
            {label}
          </label>
        ))}
      </fieldset>
      <Field
        label="予定"
        hint="予定を選ぶと、その予定の出欠を回答できるリンクを、お一人ずつ本文の下に付けます。"
        errors={errors?.event}
      >
        {(wiring) => (
          <select {...wiring} name="event" defaultValue={values.event}>
            <option value="">選ばない</option>
            {namedOptions(events.map(({ id, name }) => [id, name]))}
          </select>
        )}
      </Field>
      <details className={styles.members} open={values.audience === 'chosen' || errors?.member !== undefined}>
        <summary>メンバーを選ぶ</summary>
        {errors?.member && <p className={styles.error}>{errors.member}</p>}
        <ul>
          {members.map(({ id, username }) => (
            <li key={id}>
              <label>
                <input type="checkbox" name="member" value={id} defaultChecked={chosenIds.includes(id)} />
                {username}
              </label>
            </li>
          ))}
        </ul>
      </details>
      <Field label="件名" required errors={errors?.subject}>
        {(wiring) => (
          <input
            {...wiring}
            name="subject"
            maxLength={maxCodeUnits(100)}
            defaultValue={values.subject}
            autoComplete="off"
          />
        )}
      </Field>
      <Field label="本文" required errors={errors?.text}>
        {(wiring) => (
          <textarea {...wiring} name="text" rows={8} maxLength={maxCodeUnits(5000)} defaultValue={values.text} />
        )}
      </Field>
      <SubmitButton name="intent" value="preview" busy={save.busy} meanwhile="確認しています…">
        内容と人数を確認する
      </SubmitButton>
    </SaveForm>
  )
}

type PreviewProps = { save: Saving<MessageResult>; preview: Preview; values: Values }

export function MessagePreview({ save, preview, values }: PreviewProps) {
  const { id, audience, hasLink, count, unverified, muted } = preview
  const heading = useRef<HTMLHeadingElement>(null)
  // The pressed button has disappeared with the editor.
  useEffect(() => heading.current?.focus(), [])
  return (
    <SaveForm save={save} className={styles.form}>
      <h2 ref={heading} tabIndex={-1} className={styles.heading}>{`${count}名にメールをお送りします`}</h2>
      <dl className={styles.facts}>
        <dt>宛先</dt>
        <dd>{audience}</dd>
        <NameList label="確認済みのメールアドレスがなく、届かない方" names={unverified} />
        <NameList label="連絡のメールを停止していて、届かない方" names={muted} />
        <dt>件名</dt>
        <dd>{values.subject}</dd>
        <dt>本文</dt>
        <dd className={styles.text}>{values.text}</dd>
        {hasLink && <dd>（この下に、お一人ずつの「出欠を回答する」のリンクが付きます）</dd>}
      </dl>
      <input type="hidden" name="id" value={id} />
      {['audience', 'event', 'subject', 'text'].map((name) => (
        <input key={name} type="hidden" name={name} value={values[name]} />
      ))}
      {values.member
        ?.split(' ')
        .map((member) => member && <input key={member} type="hidden" name="member" value={member} />)}
      <div className={styles.actions}>
        {count > 0 && (
          <SubmitButton name="intent" value="send" busy={save.busy} meanwhile="送信しています…">
            {`${count}名に送信する`}
          </SubmitButton>
        )}
        <Button type="submit" name="intent" value="edit" aria-disabled={save.busy}>
          書き直す
        </Button>
      </div>
      <p className={styles.hint}>送信したメールは、取り消せません。</p>
    </SaveForm>
  )
}

function NameList({ label, names }: { label: string; names: string[] }) {
  if (names.length === 0) return null
  return (
    <>
      <dt>{`${label} ${names.length}名`}</dt>
      <dd>{names.join('、')}</dd>
    </>
  )
}
