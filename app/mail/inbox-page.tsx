import { useEffect, useRef, useState } from 'react'
import { useFetcher, useLocation } from 'react-router'
import { readForm } from '../form.server.ts'
import { pageMeta } from '../frame/page-meta.ts'
import { mayReadInbox, refusedAdministrators } from '../permissions.ts'
import { whenInWords } from '../records/history.ts'
import { clockKey, dbKey, originKey, readOr, visitorKey } from '../request.ts'
import { answered, orFailed, refused } from '../saving/answered.server.ts'
import { checkFields, readFields } from '../saving/read-fields.ts'
import type { SaveAnswer } from '../saving/save-answer.ts'
import { Outcome, SaveForm } from '../saving/save-form.tsx'
import { useSave } from '../saving/use-save.ts'
import { readSite } from '../site/site.server.ts'
import button from '../ui/button.module.css'
import { Button, LinkButton } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import { Pager } from '../ui/pager.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import type { Route } from './+types/inbox-page.ts'
import styles from './inbox.module.css'
import { mailerKey } from './mailer-key.ts'
import { MailReply } from './message.ts'
import {
  listMessages,
  type MailProgress,
  markRead,
  PAGE,
  replyToMessage,
  resend,
  sendMessageOn,
} from './messages.server.ts'

export async function loader({ context, url }: Route.LoaderArgs) {
  const visitor = context.get(visitorKey)
  const asked = Math.trunc(Number(url.searchParams.get('page') ?? 1)) || 1
  const none = { messages: [], notices: [], page: 1, pages: 1 }
  const inbox = await readOr(context, none, () => listMessages(context.get(dbKey), visitor, asked))
  const reads = mayReadInbox(visitor)
  const names = reads ? (await readSite(context.get(dbKey))).recipientNames : null
  return { ...inbox, names, reads, signedIn: visitor !== null, sends: context.get(mailerKey).verifies }
}

export function action(given: Route.ActionArgs) {
  return orFailed(given, () => receive(given))
}

async function receive({ request, context }: Route.ActionArgs) {
  const db = context.get(dbKey)
  const visitor = context.get(visitorKey)
  const form = await readForm(request, ['deed', 'message', 'mail', 'text', 'once'], { several: { message: PAGE } })
  const said = (name: string) => String(form.get(name) ?? '')
  const at = new Date(context.get(clockKey)()).toISOString()
  if (!mayReadInbox(visitor)) return refused(visitor, refusedAdministrators(visitor))

  const [id, deed] = [said('message'), said('deed')]
  const answer = (status: number, what: SaveAnswer) =>
    answered<InboxAnswer>(request, { intent: deed, message: id, ...what }, status)
  if (deed === 'reply') {
    const read = readFields(MailReply, form)
    if (read.errors) return answer(400, { errors: read.errors, values: { text: said('text') } })
    const key = said('once').slice(0, 100)
    const replied = await replyToMessage(db, visitor, { id, text: read.value.text }, { at, key })
    if (replied === 'no address') return answer(409, { trouble: 'この方は返信先を書いていません。' })
    return answer(200, { done: 'お返事をお預かりしました。' })
  }
  if (deed === 'send on') {
    await sendMessageOn(db, visitor, id, { at, origin: context.get(originKey) })
    return answer(200, { done: 'お問い合わせを送りました。' })
  }
  if (deed === 'resend') {
    await resend(db, visitor, said('mail'), at)
    return answer(200, { done: 'もう一度送ります。' })
  }
  if (deed === 'read' || deed === 'unread') {
    const ids = form.getAll('message').map((each) => String(each).replaceAll('\0', ''))
    await markRead(db, visitor, ids, deed === 'read' ? at : null)
    return answer(200, { done: deed === 'read' ? '読んだことにしました。' : '未読に戻しました。' })
  }
  return answer(400, { trouble: '操作を選び直してください。' })
}

type InboxAnswer = SaveAnswer & { message?: string }

export { needsItsData as shouldRevalidate } from '../ui/needs-its-data.ts'

export function meta({ matches }: Route.MetaArgs) {
  return pageMeta(matches[0].loaderData, { title: '受信箱', path: '/inbox', listed: false })
}

export default function InboxPage({ loaderData }: Route.ComponentProps) {
  const { messages, names, notices, page: shown, pages, reads, signedIn, sends } = loaderData
  // Of buttons that are gone with their answer where there are no scripts.
  const sent = useSave({ intents: ['send on', 'resend', 'read', 'unread'] })
  const opened = useOpening(messages)
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <PageTitle title="受信箱" english="Inbox" />
      <Outcome save={sent} />
      {!reads && (
        <>
          <Notice>
            <p>お問い合わせは、管理者だけがご覧いただけます。</p>
          </Notice>
          {!signedIn && (
            <p className={page.actions}>
              <LinkButton to="/login" primary>
                ログイン
              </LinkButton>
            </p>
          )}
        </>
      )}
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
            name={names?.[message.recipient] || names?.shop}
            sends={sends}
            isNew={opened.includes(message.id)}
          />
        ))}
      </ul>
      <Pager
        label="ほかのお問い合わせ"
        page={shown}
        pages={pages}
        to={(number) => `/inbox?page=${number}`}
        words={['新しいもの', '前のもの']}
      />
    </div>
  )
}

type Inbox = Route.ComponentProps['loaderData']
type Shown = Inbox['messages'][number]

// What somebody put back stays so for as long as our scripts live in this tab.
const putBack = new Set<string>()

/**
 * Keeps the messages as opened that somebody sees: not those that come while the page lies open, until it is looked at
 * anew. Gives which they were.
 */
function useOpening(messages: Shown[]) {
  const { submit } = useFetcher()
  const { key } = useLocation()
  const [opened, setOpened] = useState<string[]>([])
  const shown = useRef(messages)
  shown.current = messages
  useEffect(() => {
    const open = () => {
      const ids = shown.current.filter(isUnread).map(({ id }) => id)
      const fresh = ids.filter((id) => !putBack.has(id))
      if (document.hidden || fresh.length === 0) return
      setOpened(fresh)
      const fields = [['deed', 'read'], ...fresh.map((id) => ['message', id])]
      void submit(new URLSearchParams(fields), { method: 'post', action: '/inbox' })
    }
    open()
    document.addEventListener('visibilitychange', open)
    return () => document.removeEventListener('visibilitychange', open)
  }, [key])
  return opened
}

function isUnread({ readAt, spam }: Shown) {
  return readAt === null && spam === 0
}

type MessageProps = {
  message: Shown
  name: string | undefined
  sends: boolean
  /** Whether it was unread until this page showed it. */
  isNew: boolean
}

function Message({ message, name, sends, isNew }: MessageProps) {
  const { id, subject, text, replyTo, spam, createdAt, progress, replies } = message
  const unread = isUnread(message)
  return (
    <li
      id={`message-${id}`}
      className={unread ? `${styles.message} ${styles.unread}` : styles.message}
      aria-labelledby={`subject-${id}`}
    >
      <h2 id={`subject-${id}`}>{subject}</h2>
      <p className={styles.facts}>
        {(unread || (isNew && !putBack.has(id))) && (
          <span className={`${styles.state} ${styles.new}`}>{unread ? '未読' : '新着'}</span>
        )}
        <time dateTime={createdAt}>{whenInWords(createdAt)}</time>
        {name && <span>{name} 宛</span>}
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
            <time dateTime={reply.createdAt}>{whenInWords(reply.createdAt)}</time>
            <State progress={reply.progress} />
          </p>
          <p className={styles.text}>{reply.text}</p>
          <Again progress={reply.progress} message={id} sends={sends} />
        </section>
      ))}
      <div className={styles.deeds}>
        {replyTo && <Reply id={id} to={replyTo} sends={sends} />}
        {spam === 0 && (
          <Act
            deed={unread ? 'read' : 'unread'}
            message={id}
            onDone={() => void (unread ? putBack.delete(id) : putBack.add(id))}
          >
            {unread ? '読んだことにする' : '未読に戻す'}
          </Act>
        )}
      </div>
    </li>
  )
}

function Reply({ id, to, sends }: { id: string; to: string; sends: boolean }) {
  const save = useSave<InboxAnswer>({ intents: ['reply'], check: checkFields(MailReply), resets: true })
  // Without scripts all of them get the answer to one.
  const own = !save.answer || !save.cameWithPage || save.answer.message === id
  return (
    <details className={styles.answer} open={save.cameWithPage && own && save.answer !== undefined}>
      <summary className={button.button}>返事を書く</summary>
      <SaveForm save={save} once="">
        <input type="hidden" name="deed" value="reply" />
        <input type="hidden" name="message" value={id} />
        <Field
          label="お返事"
          required
          hint={sends ? `${to} へメールで送ります。` : `${to} 宛のメールとして残します。`}
          errors={own ? save.errors?.text : undefined}
        >
          {(wiring) => (
            <textarea {...wiring} name="text" rows={7} defaultValue={own ? save.answer?.values?.text : ''} />
          )}
        </Field>
        {own && <Outcome save={save} />}
        <SubmitButton busy={save.busy}>返事を送る</SubmitButton>
      </SaveForm>
    </details>
  )
}

const stateWords = {
  waiting: '送信待ち',
  sent: '送信済み',
  filed: '保存済み（メールは送っていません）',
  failed: '失敗',
}

function State({ progress }: { progress: MailProgress | null }) {
  if (!progress) return null
  const { state, attempts, dueAt, trouble } = progress
  const next = state === 'waiting' ? `次は${whenInWords(dueAt)}に試します。` : ''
  return (
    <>
      <span className={state === 'failed' ? `${styles.state} ${styles.failed}` : styles.state}>
        {stateWords[state]}
      </span>
      {trouble && <span className={styles.trouble}>{`${attempts}回試しました（${trouble}）。${next}`}</span>}
    </>
  )
}

type AgainProps = { progress: MailProgress | null; message: string; sends: boolean }

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

type ActProps = {
  deed: 'resend' | 'send on' | 'read' | 'unread'
  message?: string
  mail?: string
  onDone?: () => void
  children: string
}

function Act({ deed, message = '', mail = '', onDone = () => {}, children }: ActProps) {
  // What it was for is done then, and the button gone, or another one.
  const save = useSave<InboxAnswer>({ intents: [], leaves: true, onDone })
  return (
    <SaveForm save={save} className={styles.act}>
      <input type="hidden" name="message" value={message} />
      <input type="hidden" name="mail" value={mail} />
      <Outcome save={save} />
      <Button type="submit" name="deed" value={deed} aria-disabled={save.busy}>
        {children}
      </Button>
    </SaveForm>
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
