import { useState } from 'react'
import { checkFields } from '../forms/read-fields.ts'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import { useDraft } from '../forms/use-draft.ts'
import { useSave } from '../forms/use-save.ts'
import { formatInstant } from '../records/history.ts'
import button from '../ui/button.module.css'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import type { Route } from './+types/inbox-page.ts'
import styles from './inbox.module.css'
import type { MailProgress } from './inbox.server.ts'
import { MailReply } from './message.ts'
import { isUnread, markUnread, useMarkedUnread } from './use-read-marking.ts'

type Props = {
  message: Route.ComponentProps['loaderData']['messages'][number]
  name: string | undefined
  sends: boolean
  /** Whether this page has marked the message read, or is marking it. */
  isNew: boolean
  /** Whether the message leaves the list after it is marked read or done. */
  leaves: boolean
}

export function Message({ message, name, sends, isNew, leaves }: Props) {
  const { id, subject, text, replyTo, language, spam, createdAt, doneAt, progress, replies } = message
  const isMarkedUnread = useMarkedUnread().includes(id)
  const isMarkedRead = isNew && !isMarkedUnread
  // The button must not change under the finger when the page has marked the message read.
  const unread = isUnread(message) && !isMarkedRead
  const mailName = `${name ?? 'お店'}への通知メール`
  return (
    <li
      id={`message-${id}`}
      className={unread ? `${styles.message} ${styles.unread}` : styles.message}
      aria-labelledby={`subject-${id}`}
    >
      <h2 id={`subject-${id}`}>{subject}</h2>
      <p className={styles.facts}>
        {(unread || (isMarkedRead && !doneAt)) && (
          <span className={`${styles.state} ${styles.new}`}>{unread ? '未読' : '新着'}</span>
        )}
        <time dateTime={createdAt}>{formatInstant(createdAt)}</time>
        {name && <span>{`${name} 宛`}</span>}
        <span>{replyTo ?? '返信先なし'}</span>
        {language && <span>{language}</span>}
        {doneAt && <span className={styles.state}>対応済み</span>}
        {!spam && (sends || progress?.trouble) && <DeliveryState progress={progress} mailName={mailName} />}
      </p>
      <p className={styles.text}>
        {text.map((part, index) =>
          part.tel ? (
            <a key={index} href={`tel:${part.tel}`}>
              {part.text}
            </a>
          ) : (
            part.text
          ),
        )}
      </p>
      {!spam && <ResendButton progress={progress} mailName={mailName} message={id} sends={sends} />}
      {replies.map((reply) => (
        <section key={reply.id} className={styles.reply} aria-label="返信">
          <p className={styles.facts}>
            <span>返信</span>
            <time dateTime={reply.createdAt}>{formatInstant(reply.createdAt)}</time>
            <DeliveryState progress={reply.progress} mailName={`${replyTo} への返信`} />
          </p>
          <p className={styles.text}>{reply.text}</p>
          <ResendButton progress={reply.progress} mailName="この返信" message={id} sends={sends} />
        </section>
      ))}
      <div className={styles.deeds}>
        {spam ? <SpamActions id={id} /> : <MessageActions {...{ message, sends, leaves, unread }} />}
      </div>
    </li>
  )
}

function SpamActions({ id }: { id: string }) {
  return (
    <>
      <ActionButton deed="send on" message={id}>
        迷惑メールではありません
      </ActionButton>
      <ActionButton deed="delete" message={id}>
        削除する
      </ActionButton>
    </>
  )
}

type MessageActionsProps = Pick<Props, 'message' | 'sends' | 'leaves'> & { unread: boolean }

function MessageActions({ message, sends, leaves, unread }: MessageActionsProps) {
  const { id, replyTo, replyLink, doneAt } = message
  const readDeed = unread ? 'read' : 'unread'
  return (
    <>
      {replyTo && sends && <Reply id={id} to={replyTo} responseEmail={message.answersGoTo} leaves={leaves} />}
      {replyLink && (
        <a href={replyLink} className={button.button}>
          メールソフトで返信する
        </a>
      )}
      <ActionButton deed={doneAt ? 'reopen' : 'done'} message={id}>
        {doneAt ? '未対応に戻す' : '対応済みにする'}
      </ActionButton>
      <ActionButton deed={readDeed} message={id} onDone={({ intent }) => markUnread(id, intent === 'unread')}>
        {unread ? '既読にする' : '未読に戻す'}
      </ActionButton>
    </>
  )
}

const NO_RESPONSE_EMAIL = 'お客さまからの返信は届きません。返信を受け取るアドレスは「お店の情報」で設定できます。'

type ReplyProps = { id: string; to: string; responseEmail: string | null; leaves: boolean }

function Reply({ id, to, responseEmail, leaves }: ReplyProps) {
  const save = useSave({ intents: ['reply'], check: checkFields(MailReply), resets: true, leaves })
  const [open, setOpen] = useState(false)
  const draft = useDraft({ name: `reply ${id}`, start: {}, save, onRestore: () => setOpen(true) })
  return (
    <details className={styles.answer} open={open}>
      <summary className={button.button}>返信を書く</summary>
      <SaveForm save={save} draft={draft} once="" hiddenFields={{ deed: 'reply', message: id }}>
        <Field
          label="返信"
          required
          hint={`${to} へメールで送ります。${responseEmail ? `お客さまからの返信は ${responseEmail} に届きます。` : NO_RESPONSE_EMAIL}`}
          errors={save.errors?.text}
        >
          {(wiring) => (
            <textarea
              {...wiring}
              key={draft.restored?.at}
              name="text"
              rows={7}
              defaultValue={draft.restored?.values.text}
            />
          )}
        </Field>
        <SubmitButton busy={save.busy}>返信を送る</SubmitButton>
        <Outcome save={save} />
      </SaveForm>
    </details>
  )
}

const stateLabels = {
  waiting: '送信待ち',
  sent: '送信済み',
  filed: '保存済み（メールは送っていません）',
  failed: '失敗',
}

/** The delivery state of an e-mail. `mailName` names the e-mail if the surrounding text does not. */
export function DeliveryState({ progress, mailName }: { progress: MailProgress | null; mailName?: string }) {
  if (!progress) return null
  const { state, attempts, dueAt, trouble } = progress
  const nextAttempt = state === 'waiting' ? `次は${formatInstant(dueAt)}に再試行します。` : ''
  return (
    <>
      <span className={state === 'failed' ? `${styles.state} ${styles.failed}` : styles.state}>
        {mailName ? `${mailName}：${stateLabels[state]}` : stateLabels[state]}
      </span>
      {trouble && (
        <span className={styles.trouble}>{`送信を${attempts}回試みました（${trouble}）。${nextAttempt}`}</span>
      )}
    </>
  )
}

type ResendButtonProps = { progress: MailProgress | null; mailName?: string; message: string; sends: boolean }

/**
 * The button that resends a failed e-mail. An e-mail in a file has no button while the site cannot send mail, because a
 * retry would only write the file again.
 */
export function ResendButton({ progress, mailName, message, sends }: ResendButtonProps) {
  if (!progress || progress.state === 'sent') return null
  if (progress.state === 'waiting' && !progress.trouble) return null
  if (progress.state === 'filed' && !sends) return null
  return (
    <ActionButton deed="resend" message={message} mail={progress.id}>
      {mailName ? `${mailName}をもう一度送る` : 'もう一度送る'}
    </ActionButton>
  )
}

type ActionButtonProps = {
  deed: 'resend' | 'send on' | 'delete' | 'read' | 'unread' | 'done' | 'reopen'
  message?: string | string[]
  mail?: string
  onDone?: (answer: { intent?: string }) => void
  children: string
}

export function ActionButton({ deed, message = '', mail = '', onDone = () => {}, children }: ActionButtonProps) {
  // A successful save removes or replaces the button, so its notice is a toast.
  const save = useSave({ intents: [], leaves: true, onDone })
  return (
    <SaveForm save={save} className={styles.act}>
      {[message].flat().map((id) => (
        <input key={id} type="hidden" name="message" value={id} />
      ))}
      <input type="hidden" name="mail" value={mail} />
      <Button type="submit" name="deed" value={deed} aria-disabled={save.busy}>
        {children}
      </Button>
      <Outcome save={save} />
    </SaveForm>
  )
}
