import { randomUUID } from 'node:crypto'
import { useEffect, useState } from 'react'
import { data, Form, Link, redirect, useNavigate } from 'react-router'
import { readForm } from '../form.server.ts'
import { mayManageMembers } from '../permissions.ts'
import { clockKey, dbKey, logKey, mailerKey, ownerEmailKey, type RequestContext, visitorKey } from '../request.ts'
import { pageMeta } from '../site/page-meta.ts'
import button from '../ui/button.module.css'
import { Alert } from '../ui/dialog.tsx'
import { Notice } from '../ui/notice.tsx'
import { OnceKey } from '../saving/once-key.tsx'
import { orUnanswered } from '../ui/or-unanswered.ts'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import type { Route } from './+types/member-confirm-page.ts'
import { draftOwner, dropDraft, type Subject } from './drafts.server.ts'
import { LongText } from './long-text.tsx'
import { type MemberFields, memberFieldNames, memberFields, sentences } from './member.ts'
import styles from './member-confirm.module.css'
import { pathsOf, privateHeaders, readDrafting, stepPath } from './member-drafting.server.ts'
import { aroundOf } from './member-notices.server.ts'
import { parseMember } from './member-schema.ts'
import { type Edited, editMember, type Registered, registerMember, registerNonMember } from './registration.server.ts'

export const headers = () => privateHeaders

export async function loader({ request, context, url }: Route.LoaderArgs) {
  const subject = url.searchParams.get('for') ?? 'new'
  const drafting = await readDrafting(context, request, subject)
  const send = drafting.setCookie ? { headers: { 'set-cookie': drafting.setCookie } } : {}
  const { form } = pathsOf(subject)
  if (drafting.problem !== null || !drafting.draft) return data({ nothing: true as const, form }, send)
  if (drafting.reached <= 5) return redirect(stepPath(subject, drafting.reached), send)
  const parsed = parseMember(drafting.values)
  const fields = 'fields' in parsed ? parsed.fields : (drafting.values as MemberFields)
  return data(
    {
      nothing: false as const,
      form,
      rows: memberFieldNames.map((name) => ({ name, text: fields[name] })),
      flags: drafting.flags,
      mayRunTheSite: drafting.record?.hasAccount ?? false,
      once: randomUUID(),
    },
    send,
  )
}

export async function action({ request, context, url }: Route.ActionArgs) {
  const visitor = context.get(visitorKey)
  if (!visitor) return data({ alert: sentences.signIn, signIn: true }, 401)
  const subject = url.searchParams.get('for') ?? 'new'
  const sent = await readForm(request, ['once', 'intent'], {
    others: (ignored) => context.get(logKey).warn({ ignored, by: visitor.accountId }, 'fields ignored'),
  })
  try {
    return await save(context, request, subject, {
      key: String(sent.get('once') ?? '').slice(0, 64),
      overwrites: sent.get('intent') === 'overwrite',
    })
  } catch (error) {
    const reference = randomUUID().slice(0, 8)
    context.get(logKey).error({ err: error, reference }, 'member not saved')
    const details = `保存できませんでした（受付番号 ${reference}）`
    return data({ trouble: `データの登録中にエラーが発生しました。詳細: ${details}` }, 500)
  }
}

async function save(
  context: RequestContext,
  request: Request,
  subject: Subject,
  { key, overwrites }: { key: string; overwrites: boolean },
) {
  const db = context.get(dbKey)
  const visitor = context.get(visitorKey)
  if (!visitor) throw new Error('Nobody is signed in')
  const form = {
    owner: visitor.accountId,
    form: `member ${subject}`,
    key,
    at: new Date(context.get(clockKey)()).toISOString(),
  }
  const around = aroundOf(context)
  const drafting = await readDrafting(context, request, subject)
  // A repeat after a lost answer finds the draft gone and the member there.
  if (drafting.problem === 'registered already') return redirect('/memberlist?done=registered')
  if (drafting.problem !== null) return data({ trouble: 'この内容は、ご本人と管理者だけが登録できます。' }, 403)
  const parsed = parseMember(drafting.values)
  if (!drafting.draft || 'faults' in parsed) return redirect(pathsOf(subject).form)

  const { fields } = parsed
  const { record, flags } = drafting
  const base = overwrites && record ? record.version : drafting.base
  let saved: Registered | Edited | null
  if (record) saved = await editMember(db, visitor, record.id, { fields, flags, base }, { form, around })
  else if (subject === 'nonmember')
    saved = await registerNonMember(db, visitor, fields, { form, approved: flags?.admin === true })
  else {
    const rules = { ownerEmail: context.get(ownerEmailKey), addressMustBeProven: context.get(mailerKey).verifies }
    saved = await registerMember(db, visitor, fields, { form, rules, around })
  }
  switch (saved?.state) {
    case 'registered':
    case 'there already':
    case 'saved': {
      const owner = await draftOwner(request, visitor)
      if (owner) await dropDraft(db, owner, subject)
      const done = saved.state === 'saved' ? 'saved' : 'first' in saved && saved.first ? 'first' : 'registered'
      return redirect(`/memberlist?done=${mayManageMembers(visitor) && done === 'registered' ? 'added' : done}`)
    }
    case 'account name taken':
      return data({ alert: sentences.accountnameTaken, toStep: stepPath(subject, 1) }, 409)
    case 'last administrator':
      return data({ trouble: sentences.lastAdministrator }, 409)
    case 'newer version':
      return data({ newer: saved.fields.map((name) => memberFields[name].label) }, 409)
    default:
      return data({ trouble: 'このメンバーの登録が見つかりません。削除されたようです。' }, 404)
  }
}

/** Without a network nothing is lost: the draft is kept, and a second try gets the first one's result. */
export function clientAction({ serverAction }: Route.ClientActionArgs) {
  const trouble = '通信エラーが発生しました。つながってから、もう一度「上記の内容で登録する」を押してください。'
  return orUnanswered(serverAction, { trouble, unanswered: true })
}

export function meta({ matches }: Route.MetaArgs) {
  return pageMeta(matches[0].loaderData, { title: '登録内容の確認', path: '/memberdetailconfirm', listed: false })
}

type Answer = {
  alert?: string
  signIn?: boolean
  toStep?: string
  trouble?: string
  unanswered?: boolean
  newer?: string[]
}

export default function MemberConfirmPage({ loaderData, actionData }: Route.ComponentProps) {
  return (
    <div className={`${page.page} ${styles.page}`}>
      <PageTitle title="登録内容の確認" english="Confirmation" />
      {loaderData.nothing ? (
        <>
          <Notice>
            <p>確認する内容がありません。入力から24時間が過ぎたか、まだ入力されていないようです。</p>
          </Notice>
          <p className={page.actions}>
            <Link to={loaderData.form} className={`${button.button} ${button.primary}`}>
              メンバー登録へ
            </Link>
          </p>
        </>
      ) : (
        <Confirmation {...loaderData} answer={actionData as Answer | undefined} />
      )}
    </div>
  )
}

type Shown = Extract<Route.ComponentProps['loaderData'], { nothing: false }>

function Confirmation({ rows, form, flags, mayRunTheSite, once, answer }: Shown & { answer: Answer | undefined }) {
  const [alert, setAlert] = useState<string | null>(null)
  const navigate = useNavigate()
  useEffect(() => setAlert(answer?.alert ?? null), [answer])
  const next = answer?.signIn ? '/login' : (answer?.toStep ?? null)
  const close = () => {
    setAlert(null)
    if (next) navigate(next)
  }
  return (
    <>
      {alert && <Alert sentence={alert} onClose={close} />}
      {answer?.alert && next && (
        <Notice kind="trouble">
          <p>{answer.alert}</p>
          <p>
            <Link to={next}>{answer.signIn ? 'ログインへ進む' : 'アカウント名を変更する'}</Link>
          </p>
        </Notice>
      )}
      {answer?.trouble && (
        <Notice kind="trouble">
          <p>{answer.trouble}</p>
        </Notice>
      )}
      {answer?.newer && (
        <Notice kind="trouble">
          <p>
            入力のあいだに、ほかの方がこの登録内容を変更しました
            {answer.newer.length > 0 && `（${answer.newer.join('、')}）`}。今の内容でよろしければ、上書きしてください。
          </p>
        </Notice>
      )}
      <table className={styles.table}>
        <caption className="visually-hidden">登録する内容</caption>
        <tbody>
          {rows.map(({ name, text }) => (
            <tr key={name}>
              <th scope="row">{memberFields[name].label}</th>
              <td>
                <LongText text={text} />
              </td>
            </tr>
          ))}
          {flags && (
            <tr>
              <th scope="row">参加の承認</th>
              <td>{flags.admin ? '承認する' : '承認しない'}</td>
            </tr>
          )}
          {flags && mayRunTheSite && (
            <tr>
              <th scope="row">管理者</th>
              <td>{flags.administrator ? '管理者にする' : '管理者にしない'}</td>
            </tr>
          )}
        </tbody>
      </table>
      <Form method="post" className={styles.actions}>
        <OnceKey first={once} answer={answer?.unanswered ? undefined : answer} />
        <Link to={form} className={button.button}>
          入力に戻る
        </Link>
        {answer?.newer ? (
          <SubmitButton name="intent" value="overwrite">
            この内容で上書きする
          </SubmitButton>
        ) : (
          <SubmitButton>上記の内容で登録する</SubmitButton>
        )}
      </Form>
    </>
  )
}
