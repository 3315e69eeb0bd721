import { getFormProps, getTextareaProps, type SubmissionResult, useForm } from '@conform-to/react'
import { parseWithZod } from '@conform-to/zod/v4'
import { data, Form, Link, redirect, useNavigation } from 'react-router'
import { readForm } from '../form.server.ts'
import { mayReadInbox } from '../permissions.ts'
import { clockKey, dbKey, mailerKey, originKey, readOr, visitorKey } from '../request.ts'
import { pageMeta } from '../site/page-meta.ts'
import button from '../ui/button.module.css'
import { Field } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { OnceKey } from '../saving/once-key.tsx'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import type { Route } from './+types/inbox-page.ts'
import styles from './inbox.module.css'
import { MailReply, recipients } from './message.ts'
import { listMessages, type Progress, replyToMessage, resend, sendMessageOn } from './messages.server.ts'

export async function loader({ context, url }: Route.LoaderArgs) {
  const visitor = context.get(visitorKey)
  const asked = Math.trunc(Number(url.searchParams.get('page') ?? 1)) || 1
  const none = { messages: [], notices: [], page: 1, pages: 1 }
  const inbox = await readOr(context, none, () => listMessages(context.get(dbKey), visitor, asked))
  return { ...inbox, reads: mayReadInbox(visitor), signedIn: visitor !== null, sends: context.get(mailerKey).verifies }
}

export async function action({ request, context }: Route.ActionArgs) {
  const db = context.get(dbKey)
  const visitor = context.get(visitorKey)
  const form = await readForm(request, ['deed', 'message', 'mail', 'text', 'once'])
  const said = (name: string) => String(form.get(name) ?? '')
  const at = new Date(context.get(clockKey)()).toISOString()
  const refusal = 'この操作は管理者だけができます。'
  if (!visitor) return data({ trouble: `${refusal}ログインしてください。` }, 401)
  if (!mayReadInbox(visitor)) return data({ trouble: refusal }, 403)

  const id = said('message')
  if (said('deed') === 'reply') {
    const submission = parseWithZod(form, { schema: MailReply })
    if (submission.status !== 'success') return data({ id, result: submission.reply() }, 400)
    const replied = await replyToMessage(
      db,
      visitor,
      { id, text: submission.value.text },
      { at, key: said('once').slice(0, 100) },
    )
    if (replied === 'no address') return data({ trouble: 'この方は返信先を書いていません。' }, 409)
  } else if (said('deed') === 'send on') {
    await sendMessageOn(db, visitor, id, { at, origin: context.get(originKey) })
  } else if (said('deed') === 'resend') {
    await resend(db, visitor, said('mail'), at)
  } else {
    return data({ trouble: '操作を選び直してください。' }, 400)
  }
  const { search } = new URL(request.url)
  throw redirect(`/inbox${search}${id && `#message-${encodeURIComponent(id)}`}`)
}

export function meta({ matches }: Route.MetaArgs) {
  return pageMeta(matches[0].loaderData, { title: '受信箱', path: '/inbox', listed: false })
}

export default function InboxPage({ loaderData, actionData }: Route.ComponentProps) {
  const { messages, notices, page: shown, pages, reads, signedIn, sends } = loaderData
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <PageTitle title="受信箱" english="Inbox" />
      {!reads && (
        <>
          <Notice>
            <p>お問い合わせは、管理者だけがご覧いただけます。</p>
          </Notice>
          {!signedIn && (
            <p className={page.actions}>
              <Link to="/login" className={`${button.button} ${button.primary}`}>
                ログイン
              </Link>
            </p>
          )}
        </>
      )}
      {actionData && 'trouble' in actionData && <Notice kind="trouble">{actionData.trouble}</Notice>}
      {reads && !sends && (
        <Notice>
          <p>
            メールを送る設定（SMTP_URL）がまだないため、メールは送らずに、この画面とデータの置き場所の mails
            フォルダーに残しています。
          </p>
        </Notice>
      )}
      {notices.length > 0 && <Notices notices={notices} />}
      {reads && messages.length === 0 && <p>お問い合わせはまだありません。届くと、ここに新しいものから並びます。</p>}
      <ul className={styles.messages}>
        {messages.map((message) => (
          <Message
            key={message.id}
            message={message}
            sends={sends}
            answer={actionData && 'id' in actionData && actionData.id === message.id ? actionData.result : undefined}
          />
        ))}
      </ul>
      {pages > 1 && (
        <nav className={page.actions} aria-label="ほかのお問い合わせ">
          {shown > 1 && (
            <Link to={`/inbox?page=${shown - 1}`} className={button.button}>
              新しいもの
            </Link>
          )}
          {shown < pages && (
            <Link to={`/inbox?page=${shown + 1}`} className={button.button}>
              前のもの
            </Link>
          )}
        </nav>
      )}
    </div>
  )
}

type Inbox = Route.ComponentProps['loaderData']
type Shown = Inbox['messages'][number]

type MessageProps = { message: Shown; sends: boolean; answer: SubmissionResult | undefined }

function Message({ message, sends, answer }: MessageProps) {
  const { id, subject, recipient, text, replyTo, spam, createdAt, progress, replies } = message
  return (
    <li id={`message-${id}`} className={styles.message} aria-labelledby={`subject-${id}`}>
      <h2 id={`subject-${id}`}>{subject}</h2>
      <p className={styles.facts}>
        <time dateTime={createdAt}>{inJapan(createdAt)}</time>
        <span>{recipients[recipient]} 宛</span>
        <span>{replyTo ?? '返信先なし'}</span>
        {spam === 1 ? <span className={styles.state}>迷惑メールとして保留</span> : <State progress={progress} />}
      </p>
      <p className={styles.text}>{text}</p>
      {spam === 1 ? (
        <Act deed="send on" message={id}>
          迷惑メールではないので送る
        </Act>
      ) : (
        <Again progress={progress} message={id} sends={sends} />
      )}
      {replies.map((reply) => (
        <section key={reply.id} className={styles.reply} aria-label="お返事">
          <p className={styles.facts}>
            <span>お返事</span>
            <time dateTime={reply.createdAt}>{inJapan(reply.createdAt)}</time>
            <State progress={reply.progress} />
          </p>
          <p className={styles.text}>{reply.text}</p>
          <Again progress={reply.progress} message={id} sends={sends} />
        </section>
      ))}
      {/* After each reply anew: empty and closed. */}
      {replyTo && <Reply key={replies.length} id={id} to={replyTo} sends={sends} answer={answer} />}
    </li>
  )
}

type ReplyProps = { id: string; to: string; sends: boolean; answer: SubmissionResult | undefined }

function Reply({ id, to, sends, answer }: ReplyProps) {
  const [form, fields] = useForm({
    id: `reply-${id}`,
    lastResult: answer,
    onValidate: ({ formData }) => parseWithZod(formData, { schema: MailReply }),
    shouldRevalidate: 'onInput',
  })
  const { key, ...props } = getTextareaProps(fields.text)
  return (
    <details className={styles.answer} open={answer !== undefined}>
      <summary className={button.button}>返事を書く</summary>
      <Form method="post" {...getFormProps(form)} preventScrollReset>
        <input type="hidden" name="deed" value="reply" />
        <input type="hidden" name="message" value={id} />
        <OnceKey answer={answer} />
        <Field
          label="お返事"
          hint={sends ? `${to} へメールで送ります` : `${to} 宛のメールとして残します`}
          errors={fields.text.errors}
        >
          {(wiring) => <textarea key={key} {...props} {...wiring} rows={7} />}
        </Field>
        <SubmitButton>返事を送る</SubmitButton>
      </Form>
    </details>
  )
}

const stateWords = {
  waiting: '送信待ち',
  sent: '送信済み',
  filed: '保存済み（メールは送っていません）',
  failed: '失敗',
}

function State({ progress }: { progress: Progress | null }) {
  if (!progress) return null
  const { state, attempts, dueAt, trouble } = progress
  const next = state === 'waiting' ? `次は${inJapan(dueAt)}に試します` : ''
  return (
    <>
      <span className={state === 'failed' ? `${styles.state} ${styles.failed}` : styles.state}>
        {stateWords[state]}
      </span>
      {trouble && <span className={styles.trouble}>{`${attempts}回試しました。${next}（${trouble}）`}</span>}
    </>
  )
}

type AgainProps = { progress: Progress | null; message: string; sends: boolean }

/** The button for what has not left; what is in a file would only become another file while no mail can be sent. */
function Again({ progress, message, sends }: AgainProps) {
  if (!progress || progress.state === 'sent') return null
  if (progress.state === 'waiting' && !progress.trouble) return null
  if (progress.state === 'filed' && !sends) return null
  return (
    <Act deed="resend" message={message} mail={progress.id}>
      もう一度送る
    </Act>
  )
}

type ActProps = { deed: 'resend' | 'send on'; message?: string; mail?: string; children: string }

function Act({ deed, message = '', mail = '', children }: ActProps) {
  const busy = useNavigation().state === 'submitting'
  return (
    <Form method="post" className={styles.act} preventScrollReset>
      <input type="hidden" name="message" value={message} />
      <input type="hidden" name="mail" value={mail} />
      <button type="submit" name="deed" value={deed} className={button.button} aria-disabled={busy}>
        {children}
      </button>
    </Form>
  )
}

function Notices({ notices }: { notices: Inbox['notices'] }) {
  return (
    <section className={styles.notices} aria-labelledby="notices">
      <h2 id="notices">届けられていないお知らせ</h2>
      <ul>
        {notices.map((notice) => (
          <li key={notice.id}>
            <p>
              {notice.subject}（{notice.to} 宛）
            </p>
            <p className={styles.facts}>
              <State progress={notice} />
            </p>
            <Again progress={notice} message="" sends />
          </li>
        ))}
      </ul>
    </section>
  )
}

const inJapanese = new Intl.DateTimeFormat('ja-JP', {
  timeZone: 'Asia/Tokyo',
  year: 'numeric',
  month: 'long',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
})

function inJapan(instant: string) {
  return inJapanese.format(new Date(instant))
}
