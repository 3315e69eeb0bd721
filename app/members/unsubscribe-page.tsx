import { data, Form } from 'react-router'
import type { SaveResult } from '../forms/save-result.ts'
import { contextOf, type RequestContext } from '../request.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import type { Route } from './+types/unsubscribe-page.ts'
import { isMailKind, mailKinds } from './mail-kinds.ts'
import { readReceivedMails, receiveMails } from './member-mails.server.ts'
import { readMemberToken } from './member-tokens.server.ts'

const INVALID = 'このリンクは使えません。アドレスの途中が切れていないか、ご確認ください。'

async function readLink(context: RequestContext, url: URL) {
  const { db, secret } = contextOf(context)
  const grant = readMemberToken(secret, 'unsubscribe', url.searchParams.get('token') ?? '')
  if (!grant || !isMailKind(grant.subject)) return null
  const member = await db.selectFrom('members').select('id').where('id', '=', grant.memberId).executeTakeFirst()
  return member ? { memberId: member.id, kind: grant.subject } : null
}

// Opening the link changes nothing, because mail programs open links too.
export async function loader({ context, url }: Route.LoaderArgs) {
  const link = await readLink(context, url)
  if (!link) return data(null, 404)
  const received = await readReceivedMails(contextOf(context).db, link.memberId)
  return { ...mailKinds[link.kind], isMuted: received[link.kind] === '' }
}

// Mail programs send a form of either type with a field of their own (RFC 8058), so every form but the form of the second
// button unsubscribes.
export async function action({ request, context, url }: Route.ActionArgs) {
  const link = await readLink(context, url)
  if (!link) return data<SaveResult>({ trouble: INVALID }, 404)
  const resumes = new URLSearchParams(await request.text()).get('intent') === 'resume'
  await receiveMails(contextOf(context).db, link.memberId, link.kind, resumes)
  return data<SaveResult>({ done: resumes ? 'メールの配信を再開しました。' : 'メールの配信を停止しました。' })
}

export const handle = { cache: 'none', title: 'メールの配信', hasShortForms: true }

export default function UnsubscribePage({ loaderData, actionData }: Route.ComponentProps) {
  const { label, hint, isMuted } = loaderData ?? {}
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <PageTitle title="メールの配信" english="E-mail" />
      {actionData?.done && <Notice kind="done">{actionData.done}</Notice>}
      {loaderData ? (
        <Form method="post">
          <p>
            {isMuted
              ? `「${label}」のメールは停止しています。もう一度受け取るときは、ボタンを押してください。`
              : `「${label}」のメール（${hint}）を停止するときは、ボタンを押してください。ほかの種類のメールは、これまでどおり届きます。`}
          </p>
          <p className={page.actions}>
            <Button type="submit" name="intent" value={isMuted ? 'resume' : 'stop'} primary>
              {isMuted ? 'もう一度受け取る' : '配信を停止する'}
            </Button>
          </p>
        </Form>
      ) : (
        <Notice kind="trouble">{INVALID}</Notice>
      )}
    </div>
  )
}
