import { randomUUID } from 'node:crypto'
import { useEffect, useState } from 'react'
import { data, Link, redirect, useNavigate, useRevalidator } from 'react-router'
import { requireMembership } from '../accounts/registration.server.ts'
import { formAction } from '../forms/form-action.server.ts'
import { submissionKeyOf, wasHandled } from '../forms/idempotency.server.ts'
import { denied, Rejection, unwrap } from '../forms/outcome.ts'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import type { SaveResult } from '../forms/save-result.ts'
import { useSave } from '../forms/use-save.ts'
import { mayManageMembers } from '../permissions.ts'
import { LinkButton } from '../ui/button.tsx'
import { Alert } from '../ui/dialog.tsx'
import { Notice } from '../ui/notice.tsx'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import type { Route } from './+types/member-confirm-page.ts'
import { deleteDraft, hashDraft } from './drafts.server.ts'
import { LongText } from './long-text.tsx'
import { memberFieldNames, memberFields, sentences } from './member.ts'
import styles from './member-confirm.module.css'
import { draftPaths, readDrafting, stepPath } from './member-drafting.server.ts'
import { editMember } from './member-editing.server.ts'
import { memberNoticesOf } from './member-notices.server.ts'
import { AccountnameTaken } from './member-record.server.ts'
import { parseMember } from './member-schema.ts'
import { memberToasts } from './member-toasts.ts'
import { registerMember, registerNonMember } from './registration.server.ts'

export async function loader({ request, context, url }: Route.LoaderArgs) {
  await requireMembership(context)
  const subject = url.searchParams.get('for') ?? 'new'
  const drafting = await readDrafting(context, request, subject)
  const init = drafting.setCookie ? { headers: { 'set-cookie': drafting.setCookie } } : {}
  const { form } = draftPaths(subject)
  if (drafting.problem !== null || !drafting.draft) return data({ nothing: true as const, form }, init)
  if (drafting.reached <= 5) return redirect(stepPath(subject, drafting.reached), init)
  const parsed = parseMember(drafting.values)
  const fields = 'fields' in parsed ? parsed.fields : drafting.values
  return data(
    {
      nothing: false as const,
      form,
      fields,
      flags: drafting.flags,
      mayRunTheSite: Boolean(drafting.record?.accountId),
      once: randomUUID(),
      draftHash: hashDraft(drafting.draft),
    },
    init,
  )
}

type ConfirmResult = SaveResult & {
  /** Text of an alert dialog. Closing the dialog leads to `toStep` or, by default, to the sign-in page. */
  alert?: string
  toStep?: string
  /** The labels of the fields that another user has changed since the edit began, and the version with these changes. */
  newer?: { labels: string[]; version: number }
  hasNewDraft?: boolean
}

const REGISTRATION_FAILED = 'データの登録中にエラーが発生しました。詳細: 保存できませんでした'

export const action = formAction<ConfirmResult>(
  { fields: ['once', 'version', 'draftHash'], failure: REGISTRATION_FAILED },
  async (submission) => {
    const { context, request, url, db, visitor, field, seen, ownerEmail, mailer } = submission
    await requireMembership(context)
    if (!visitor) return { alert: sentences.signIn, signIn: true, status: 401 }
    const subject = url.searchParams.get('for') ?? 'new'
    const drafting = await readDrafting(context, request, subject)
    // If the response to the first request was lost, the repeated request finds no draft, because the member is
    // registered.
    if (drafting.problem === 'registered already') return redirectToList('registered')
    if (drafting.problem === 'not there') throw new Rejection(sentences.gone, 404)
    if (drafting.problem !== null) throw denied(visitor, 'この内容は、ご本人と管理者だけが登録できます。')
    const form = submissionKeyOf(submission, `member ${subject}`)
    // In the same case, a member who changes the record, or an administrator, finds no draft.
    if (!drafting.draft && (await wasHandled(db, form))) return redirectToList(drafting.record ? 'saved' : 'added')
    const parsed = parseMember(drafting.values)
    if (!drafting.draft || 'errors' in parsed) return { to: draftPaths(subject).form }
    const draftHash = field('draftHash')
    if (draftHash && draftHash !== hashDraft(drafting.draft))
      return { trouble: DRAFT_CHANGED, hasNewDraft: true, status: 409 }

    const { fields } = parsed
    const { record, flags } = drafting
    const notices = memberNoticesOf(context)
    const save = async (): Promise<ConfirmResult & { status?: number }> => {
      if (record) {
        const input = { fields, flags, base: seen.version || drafting.base, own: seen.own }
        const result = await editMember(db, visitor, record.id, input, { form, around: notices })
        if (result.error === 'conflict') {
          const labels = result.fields.map((name) => memberFields[name].label)
          return { newer: { labels, version: result.version }, status: 409 }
        }
        return { ...redirectToList('saved'), save: unwrap(result, { missing: sentences.gone }) }
      }
      const rules = { ownerEmail, requiresVerifiedEmail: mailer.verifies }
      const { first } =
        subject === 'nonmember'
          ? await registerNonMember(db, visitor, fields, { form, approved: flags?.admin === true })
          : await registerMember(db, visitor, fields, { form, rules, around: notices })
      return first
        ? { to: '/memberlist?done=first' }
        : redirectToList(mayManageMembers(visitor) ? 'added' : 'registered')
    }
    const result = await save().catch((error: unknown): ConfirmResult & { status?: number } => {
      if (!(error instanceof AccountnameTaken)) throw error
      return { alert: sentences.accountnameTaken, toStep: stepPath(subject, 1), status: 409 }
    })
    if (result.to) await deleteDraft(db, visitor.accountId, subject)
    return result
  },
)

const DRAFT_CHANGED = 'ほかの画面で入力した内容に変わっています。上の内容をご確認のうえ、もう一度登録してください。'

function redirectToList(done: keyof typeof memberToasts): ConfirmResult {
  return { done: memberToasts[done], to: `/memberlist?done=${done}` }
}

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

type ConfirmationData = Extract<Route.ComponentProps['loaderData'], { nothing: false }>

function Confirmation({ fields, form, flags, mayRunTheSite, once, draftHash }: ConfirmationData) {
  const save = useSave<ConfirmResult>({ failure: REGISTRATION_FAILED })
  const { answer, busy, round } = save
  const [alert, setAlert] = useState<string | null>(null)
  const navigate = useNavigate()
  const { revalidate } = useRevalidator()
  useEffect(() => setAlert(answer?.alert ?? null), [round])
  useEffect(() => {
    if (answer?.hasNewDraft) revalidate()
  }, [answer])
  const newer = answer?.newer
  const nextUrl = answer?.signIn ? '/login' : (answer?.toStep ?? null)
  const close = () => {
    setAlert(null)
    if (nextUrl) navigate(nextUrl)
  }
  return (
    <>
      {alert && <Alert sentence={alert} onClose={close} />}
      <FieldTable fields={fields} flags={flags} mayRunTheSite={mayRunTheSite} />
      <SaveForm save={save} once={once} hiddenFields={{ draftHash, version: newer?.version ?? '' }}>
        {answer?.alert && nextUrl && (
          <noscript>
            <Notice kind="trouble">
              <p>{answer.alert}</p>
              <p>
                <Link to={nextUrl}>{answer.signIn ? 'ログインへ進む' : 'アカウント名を変更する'}</Link>
              </p>
            </Notice>
          </noscript>
        )}
        <div className={styles.actions}>
          <LinkButton to={form}>入力に戻る</LinkButton>
          <SubmitButton busy={busy}>{newer ? 'この内容で上書きする' : '上記の内容で登録する'}</SubmitButton>
        </div>
        <Outcome save={save}>
          {newer && (
            <p>
              {`入力のあいだに、ほかの方がこの登録内容を変更しました${newer.labels.length > 0 ? `（${newer.labels.join('、')}）` : ''}。この内容でよろしければ、上書きしてください。`}
            </p>
          )}
        </Outcome>
      </SaveForm>
    </>
  )
}

function FieldTable({ fields, flags, mayRunTheSite }: Pick<ConfirmationData, 'fields' | 'flags' | 'mayRunTheSite'>) {
  return (
    <table className={styles.table}>
      <caption className="visually-hidden">登録する内容</caption>
      <tbody>
        {memberFieldNames.map((name) => (
          <tr key={name}>
            <th scope="row">{memberFields[name].label}</th>
            <td>
              <LongText text={fields[name]} />
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
