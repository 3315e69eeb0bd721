import { randomUUID } from 'node:crypto'
import { useEffect, useState } from 'react'
import { data, Link, redirect, useNavigate, useRevalidator } from 'react-router'
import { requireMembership } from '../accounts/registration.server.ts'
import { answered, failed } from '../forms/answered.server.ts'
import type { SaveAnswer } from '../forms/save-answer.ts'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import { useSave } from '../forms/use-save.ts'
import { mayManageMembers, type Visitor } from '../permissions.ts'
import { readForm } from '../platform/form.server.ts'
import { seenIn } from '../records/own-saves.server.ts'
import { contextOf, type RequestContext } from '../request.ts'
import { LAST_ADMINISTRATOR } from '../settings/roles.server.ts'
import { LinkButton } from '../ui/button.tsx'
import { Alert } from '../ui/dialog.tsx'
import { Notice } from '../ui/notice.tsx'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import type { Route } from './+types/member-confirm-page.ts'
import { arrivals } from './arrivals.ts'
import { draftOwner, dropDraft, hashDraft, type Subject } from './drafts.server.ts'
import { LongText } from './long-text.tsx'
import { type MemberFields, memberFieldNames, memberFields, sentences } from './member.ts'
import styles from './member-confirm.module.css'
import { pathsOf, readDrafting, stepPath } from './member-drafting.server.ts'
import { type Edited, editMember } from './member-editing.server.ts'
import { tellingOf } from './member-notices.server.ts'
import { parseMember } from './member-schema.ts'
import { type Registered, registerMember, registerNonMember } from './registration.server.ts'

export async function loader({ request, context, url }: Route.LoaderArgs) {
  await requireMembership(context)
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
      draftHash: hashDraft(drafting.draft),
    },
    send,
  )
}

type ConfirmAnswer = SaveAnswer & {
  /** Shown in a dialog; closing it leads to `toStep` or to the sign-in page. */
  alert?: string
  toStep?: string
  /** Labels of the fields that another user has changed meanwhile. */
  newer?: string[]
  hasNewDraft?: boolean
}

export async function action({ request, context, url }: Route.ActionArgs) {
  await requireMembership(context)
  const { visitor } = contextOf(context)
  if (!visitor) return answered<ConfirmAnswer>(request, { alert: sentences.signIn, signIn: true }, 401)
  const subject = url.searchParams.get('for') ?? 'new'
  const sent = await readForm(request, ['once', 'intent', 'draftHash'], {
    others: (ignored) => contextOf(context).log.warn({ ignored, by: visitor.accountId }, 'fields ignored'),
  })
  const [status, said] = await save(context, request, subject, { visitor, sent }).catch((error: unknown) =>
    failed(context, error, REGISTRATION_FAILED),
  )
  return answered<ConfirmAnswer>(request, said, status)
}

async function save(
  context: RequestContext,
  request: Request,
  subject: Subject,
  { visitor, sent }: { visitor: NonNullable<Visitor>; sent: FormData },
): Promise<[number, ConfirmAnswer]> {
  const { db, clock } = contextOf(context)
  const key = String(sent.get('once') ?? '').slice(0, 64)
  const draftHash = String(sent.get('draftHash') ?? '')
  const form = { owner: visitor.accountId, form: `member ${subject}`, key, at: new Date(clock()).toISOString() }
  const around = tellingOf(context)
  const drafting = await readDrafting(context, request, subject)
  // After a lost response, the repeated request finds the draft gone and the member registered.
  if (drafting.problem === 'registered already') return [200, arrival('registered')]
  if (drafting.problem !== null) return [403, { trouble: 'この内容は、ご本人と管理者だけが登録できます。' }]
  const parsed = parseMember(drafting.values)
  if (!drafting.draft || 'errors' in parsed) return [200, { to: pathsOf(subject).form }]
  if (draftHash && draftHash !== hashDraft(drafting.draft)) return [409, { trouble: DRAFT_CHANGED, hasNewDraft: true }]

  const { fields } = parsed
  const { record, flags } = drafting
  const base = sent.get('intent') === 'overwrite' && record ? record.version : drafting.base
  let saved: Registered | Edited | null
  if (record) {
    const { own } = seenIn(sent)
    saved = await editMember(db, visitor, record.id, { fields, flags, base, own }, { form, around })
  } else if (subject === 'nonmember')
    saved = await registerNonMember(db, visitor, fields, { form, approved: flags?.admin === true })
  else {
    const rules = { ownerEmail: contextOf(context).ownerEmail, addressMustBeProven: contextOf(context).mailer.verifies }
    saved = await registerMember(db, visitor, fields, { form, rules, around })
  }
  switch (saved?.state) {
    case 'registered':
    case 'there already':
    case 'saved': {
      const owner = await draftOwner(request, visitor)
      if (owner) await dropDraft(db, owner, subject)
      if (saved.state === 'saved') return [200, { ...arrival('saved'), save: saved.save }]
      if ('first' in saved && saved.first) return [200, { to: '/memberlist?done=first' }]
      return [200, arrival(mayManageMembers(visitor) ? 'added' : 'registered')]
    }
    case 'account name taken':
      return [409, { alert: sentences.accountnameTaken, toStep: stepPath(subject, 1) }]
    case 'last administrator':
      return [409, { trouble: LAST_ADMINISTRATOR }]
    case 'newer version':
      return [409, { newer: saved.fields.map((name) => memberFields[name].label) }]
    default:
      return [404, { trouble: 'このメンバーの登録が見つかりません。削除されたようです。' }]
  }
}

const REGISTRATION_FAILED = 'データの登録中にエラーが発生しました。詳細: 保存できませんでした'
const DRAFT_CHANGED = 'ほかの画面で入力した内容に変わっています。上の内容をご確認のうえ、もう一度登録してください。'

function arrival(done: keyof typeof arrivals): ConfirmAnswer {
  return { done: arrivals[done], to: `/memberlist?done=${done}` }
}

export { needsItsData as shouldRevalidate } from '../ui/needs-its-data.ts'

export const handle = { title: '登録内容の確認', cache: 'none' }

export default function MemberConfirmPage({ loaderData }: Route.ComponentProps) {
  return (
    <div className={`${page.page} ${styles.page}`}>
      <PageTitle title="登録内容の確認" english="Confirmation" />
      {loaderData.nothing ? (
        <>
          <Notice>
            <p>確認する内容がありません。入力から24時間が過ぎたか、まだ入力されていないようです。</p>
          </Notice>
          <p className={page.actions}>
            <LinkButton to={loaderData.form} primary>
              メンバー登録へ
            </LinkButton>
          </p>
        </>
      ) : (
        <Confirmation {...loaderData} />
      )}
    </div>
  )
}

type Shown = Extract<Route.ComponentProps['loaderData'], { nothing: false }>

function Confirmation({ rows, form, flags, mayRunTheSite, once, draftHash }: Shown) {
  const save = useSave<ConfirmAnswer>({ failure: REGISTRATION_FAILED })
  const { answer, busy, round } = save
  const [alert, setAlert] = useState<string | null>(null)
  const navigate = useNavigate()
  const { revalidate } = useRevalidator()
  useEffect(() => setAlert(answer?.alert ?? null), [round])
  useEffect(() => {
    if (answer?.hasNewDraft) revalidate()
  }, [answer])
  const next = answer?.signIn ? '/login' : (answer?.toStep ?? null)
  const close = () => {
    setAlert(null)
    if (next) navigate(next)
  }
  return (
    <>
      {alert && <Alert sentence={alert} onClose={close} />}
      <Rows rows={rows} flags={flags} mayRunTheSite={mayRunTheSite} />
      <SaveForm save={save} once={once}>
        <input type="hidden" name="draftHash" value={draftHash} />
        {answer?.alert && next && (
          <noscript>
            <Notice kind="trouble">
              <p>{answer.alert}</p>
              <p>
                <Link to={next}>{answer.signIn ? 'ログインへ進む' : 'アカウント名を変更する'}</Link>
              </p>
            </Notice>
          </noscript>
        )}
        <div className={styles.actions}>
          <LinkButton to={form}>入力に戻る</LinkButton>
          {answer?.newer ? (
            <SubmitButton busy={busy} name="intent" value="overwrite">
              この内容で上書きする
            </SubmitButton>
          ) : (
            <SubmitButton busy={busy}>上記の内容で登録する</SubmitButton>
          )}
        </div>
        <Outcome save={save}>
          {answer?.newer && (
            <p>
              {`入力のあいだに、ほかの方がこの登録内容を変更しました${answer.newer.length > 0 ? `（${answer.newer.join('、')}）` : ''}。今の内容でよろしければ、上書きしてください。`}
            </p>
          )}
        </Outcome>
      </SaveForm>
    </>
  )
}

function Rows({ rows, flags, mayRunTheSite }: Pick<Shown, 'rows' | 'flags' | 'mayRunTheSite'>) {
  return (
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
  )
}
