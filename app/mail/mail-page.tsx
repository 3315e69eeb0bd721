import { getFormProps, getInputProps, getSelectProps, getTextareaProps, useForm } from '@conform-to/react'
import { parseWithZod } from '@conform-to/zod/v4'
import { useRef } from 'react'
import { data, Form, isRouteErrorResponse, Link, redirect } from 'react-router'
import { readForm } from '../form.server.ts'
import { authKey, clockKey, dbKey, logKey, originKey, visitorKey } from '../request.ts'
import { pageMeta } from '../site/page-meta.ts'
import { readSite } from '../site/site.server.ts'
import button from '../ui/button.module.css'
import { Field } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { OnceKey } from '../saving/once-key.tsx'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import type { Route } from './+types/mail-page.ts'
import styles from './mail.module.css'
import {
  MailMessage,
  MOST_SUBJECT,
  MOST_TEXT,
  type Recipient,
  recipientKeys,
  recipients,
  sentences,
  tooManyMessages,
} from './message.ts'
import { receiveMessage } from './messages.server.ts'

// Nobody writes a message in less.
const QUICKEST_MS = 3000

export function loader({ context, url }: Route.LoaderArgs) {
  const asked = url.searchParams.get('to') as Recipient
  return {
    sent: url.searchParams.has('sent'),
    to: recipientKeys.includes(asked) ? asked : '',
    from: context.get(visitorKey)?.email ?? '',
    shownAt: context.get(clockKey)(),
  }
}

export async function action({ request, context }: Route.ActionArgs) {
  const form = await readForm(request, [...Object.keys(MailMessage.shape), 'homepage', 'shownAt', 'once'])
  const submission = parseWithZod(form, { schema: MailMessage })
  if (submission.status !== 'success') return data({ result: submission.reply() }, 400)
  const refuse = (sentence: string, status: number) =>
    data({ result: submission.reply({ formErrors: [sentence] }) }, status)

  const db = context.get(dbKey)
  const now = context.get(clockKey)()
  try {
    const received = await receiveMessage(db, submission.value, {
      address: context.get(authKey).address,
      key: String(form.get('once') ?? '').slice(0, 100),
      spam: looksLikeSpam(form, now),
      origin: context.get(originKey),
      now,
    })
    if (received === 'too many') return refuse(tooManyMessages((await readSite(db)).telephone), 429)
  } catch (error) {
    const reference = crypto.randomUUID().slice(0, 8)
    context.get(logKey).error({ err: error, reference }, 'message not taken')
    return refuse(`${sentences.failed}（受付番号 ${reference}）`, 500)
  }
  throw redirect('/mail?sent')
}

// A machine fills in what nobody sees, or has finished before anyone could.
function looksLikeSpam(form: FormData, now: number) {
  const shownAt = Number(form.get('shownAt') || Number.NaN)
  return form.get('homepage') !== '' || !(now - shownAt >= QUICKEST_MS)
}

export async function clientAction({ serverAction }: Route.ClientActionArgs) {
  try {
    return await serverAction()
  } catch (error) {
    // fetch() rejects with a TypeError where no answer came; what stands before the site may answer in its place.
    const sentence = error instanceof TypeError ? sentences.network : isRouteErrorResponse(error) && sentences.failed
    if (!sentence) throw error
    // With a status that keeps React Router from asking for the page anew, which would be lost too.
    return data({ lost: true as const, result: { status: 'error' as const, error: { '': [sentence] } } }, 503)
  }
}

export function meta({ matches }: Route.MetaArgs) {
  return pageMeta(matches[0].loaderData, { title: 'お問い合わせ', path: '/mail', listed: false })
}

export default function MailPage({ loaderData, actionData, matches }: Route.ComponentProps) {
  const { telephone } = matches[0].loaderData.site
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <PageTitle title="お問い合わせ" english="Mail" />
      {loaderData.sent && !actionData ? (
        <Sent />
      ) : (
        <>
          <p className={styles.lead}>
            ご予約のご相談、サークルの見学、お仕事のご依頼など、お気軽にお書きください。
            {telephone && (
              <>
                お急ぎのときは、お電話（<a href={`tel:${telephone}`}>{telephone}</a>）でどうぞ。
              </>
            )}
          </p>
          <MailForm {...loaderData} answer={actionData} />
        </>
      )}
    </div>
  )
}

function Sent() {
  return (
    <>
      <Notice kind="done">
        <p>{sentences.sent}</p>
        <p>お便りをありがとうございます。返信先をお書きくださった方には、追ってお返事いたします。</p>
      </Notice>
      <p className={page.actions}>
        <Link to="/" className={button.button}>
          ホームへ
        </Link>
        <Link to="/mail" className={button.button}>
          もう一通書く
        </Link>
      </p>
    </>
  )
}

type FormProps = Omit<Route.ComponentProps['loaderData'], 'sent'> & { answer: Route.ComponentProps['actionData'] }

function MailForm({ answer, to, from, shownAt }: FormProps) {
  const [form, fields] = useForm({
    lastResult: answer?.result,
    defaultValue: { to, from },
    onValidate: ({ formData }) => parseWithZod(formData, { schema: MailMessage }),
    shouldRevalidate: 'onInput',
  })
  // An answer that was lost may have been a success: the form goes out again under its key.
  const arrived = useRef(answer)
  if (answer && !('lost' in answer)) arrived.current = answer
  const { key: toKey, ...toProps } = getSelectProps(fields.to)
  const { key: subjectKey, ...subjectProps } = getInputProps(fields.subject, { type: 'text' })
  const { key: textKey, ...textProps } = getTextareaProps(fields.text)
  const { key: fromKey, ...fromProps } = getInputProps(fields.from, { type: 'email' })
  return (
    <Form method="post" {...getFormProps(form)} className={styles.form}>
      {form.errors && <Notice kind="trouble">{form.errors}</Notice>}
      <Field label="宛先" errors={fields.to.errors}>
        {(wiring) => (
          <select key={toKey} {...toProps} {...wiring}>
            <option value="">選んでください</option>
            {recipientKeys.map((name) => (
              <option key={name} value={name}>
                {recipients[name]}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="件名" errors={fields.subject.errors}>
        {(wiring) => <input key={subjectKey} {...subjectProps} {...wiring} maxLength={MOST_SUBJECT * 2} />}
      </Field>
      <Field label="本文" hint={`${MOST_TEXT}文字まで`} errors={fields.text.errors}>
        {(wiring) => <textarea key={textKey} {...textProps} {...wiring} rows={9} />}
      </Field>
      <Field
        label="返信先のメールアドレス（任意）"
        hint="お返事がご入用のときにお書きください。ほかのことには使いません"
        errors={fields.from.errors}
      >
        {(wiring) => <input key={fromKey} {...fromProps} {...wiring} autoComplete="email" />}
      </Field>
      <div className={styles.trap} aria-hidden="true">
        <label>
          この欄には何も書かないでください
          <input name="homepage" tabIndex={-1} autoComplete="off" />
        </label>
      </div>
      <input type="hidden" name="shownAt" value={shownAt} />
      <OnceKey answer={arrived.current} />
      <SubmitButton>送信する</SubmitButton>
    </Form>
  )
}
