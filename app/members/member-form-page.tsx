import { type ReactNode, useEffect, useRef } from 'react'
import { data, Link, redirect } from 'react-router'
import { countVisitorAttempt } from '../accounts/account-deps.server.ts'
import { requireMembership } from '../accounts/registration.server.ts'
import { formAction, type Submission } from '../forms/form-action.server.ts'
import { denied, Rejection } from '../forms/outcome.ts'
import type { SaveResult } from '../forms/save-result.ts'
import { mayManageMembers, type Visitor } from '../permissions.ts'
import { tooManyAttempts } from '../platform/attempts.server.ts'
import { readHistory } from '../records/history.server.ts'
import { HistoryPanel } from '../records/history-panel.tsx'
import { contextOf } from '../request.ts'
import { LinkButton } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import type { Route } from './+types/member-form-page.ts'
import { makeDraftOwner, saveDraft } from './drafts.server.ts'
import { fieldsOf, type MemberField, memberFieldNames, type Step, sentences, stepNumbers, steps } from './member.ts'
import { draftPaths, listFormFields, readDrafting, readStepInput, stepPath } from './member-drafting.server.ts'
import styles from './member-form.module.css'
import { isAccountnameTaken } from './member-record.server.ts'
import { validateStep } from './member-schema.ts'
import { StepForm } from './member-step-form.tsx'

export async function loader({ request, context, params, url }: Route.LoaderArgs) {
  await requireMembership(context)
  const subject = readSubject(params, url)
  const drafting = await readDrafting(context, request, subject)
  const { visitor } = contextOf(context)
  const { setCookie } = drafting
  const init = setCookie ? { headers: { 'set-cookie': setCookie } } : {}
  if (drafting.problem === 'not there') throw data(null, 404)
  if (drafting.problem !== null) return data({ problem: drafting.problem, visitor }, init)
  const { values, reached, record, base, flags } = drafting
  // A guest who signs in after the last step continues at the confirm screen.
  if (setCookie && drafting.draft && reached > 5) return redirect(draftPaths(subject).confirm, init)
  const requestedStep = Number(url.searchParams.get('step') ?? 1)
  const step = Math.max(1, Math.min(Number.isInteger(requestedStep) ? requestedStep : 1, reached, 5)) as Step
  const showsHistory = record && mayManageMembers(visitor)
  const history = showsHistory ? await readHistory(context, { subject: 'member', id: record.id, url }) : null
  return data(
    {
      problem: null,
      subject,
      history,
      step,
      reached,
      values: Object.fromEntries(fieldsOf(step).map((name) => [name, values[name]])) as Record<MemberField, string>,
      edits: record !== null,
      base: record ? base : null,
      flags,
      mayRunTheSite: Boolean(record?.accountId),
      kept: record && { birthday: record.birthday, realname: record.realname },
      paths: Object.fromEntries(stepNumbers.map((number) => [number, stepPath(subject, number)])),
      finished: drafting.draft && reached > 5 ? draftPaths(subject).confirm : null,
    },
    init,
  )
}

function readSubject({ id }: { id?: string | undefined }, url: URL) {
  return id ?? (url.searchParams.get('for') === 'nonmember' ? 'nonmember' : 'new')
}

const NOT_PERMITTED = 'この登録内容は、ご本人と管理者だけが変更できます。'

export const action = formAction<SaveResult>(
  {
    fields: ({ context }) => listFormFields({ mayGiveFlags: mayManageMembers(contextOf(context).visitor) }),
    intentOf: (field) => `step ${readStep(field)}`,
    repeats: memberFieldNames,
  },
  async ({ context, request, url, params, db, clock, visitor, form, field }) => {
    await requireMembership(context)
    const subject = readSubject(params, url)
    const drafting = await readDrafting(context, request, subject)
    if (drafting.problem === 'not there') throw new Rejection(sentences.gone, 404)
    if (drafting.problem !== null)
      throw denied(visitor, visitor ? NOT_PERMITTED : `${NOT_PERMITTED}ログインしてください。`)
    const step = readStep(field)
    const values = readStepInput(form, step)
    const wait = visitor || drafting.draft ? null : await countVisitorAttempt(context, 'draft', null)
    if (wait) return { trouble: tooManyAttempts(wait), values, status: 429 }
    const { owner, setCookie } = await makeDraftOwner(request, visitor)
    const headers: HeadersInit = setCookie ? { 'set-cookie': setCookie } : {}
    if (!(await saveDraft(db, { owner, subject, now: clock() }, values)))
      return { trouble: '入力が長すぎて保存できませんでした。短くしてお試しください。', values, status: 413, headers }

    const intent = field('intent')
    if (intent === 'keep') return { headers }
    if (intent === 'back') return { to: stepPath(subject, Math.max(1, step - 1)), headers }
    const errors = validateStep(step, values) ?? {}
    // Guests see this error only after the last step, so that they cannot probe for account names.
    const canCheckName = visitor && step === 1 && !errors.accountname
    if (canCheckName && (await isAccountnameTaken(db, values.accountname ?? '', drafting.record?.id)))
      errors.accountname = [sentences.accountnameTaken]
    if (Object.keys(errors).length > 0) return { errors, values, status: 400, headers }
    return { to: step === 5 ? draftPaths(subject).confirm : stepPath(subject, step + 1), headers }
  },
)

function readStep(field: Submission['field']) {
  return Math.max(1, Math.min(5, Math.trunc(Number(field('step'))) || 1)) as Step
}

export const handle = {
  cache: 'none',
  title: (form: Route.ComponentProps['loaderData']) =>
    form.problem === null
      ? `${getFormTitle(form)} ${form.step}/${steps.length} ${steps[form.step - 1]}`
      : 'メンバー登録',
}

function getFormTitle({ edits = false, subject = '' }) {
  if (edits) return '登録内容の変更'
  return subject === 'nonmember' ? 'アカウントのない方の登録' : 'メンバー登録'
}

export default function MemberFormPage({ loaderData }: Route.ComponentProps) {
  if (loaderData.problem !== null) {
    return (
      <FormFrame step={1} reached={1}>
        <ProblemNotice {...loaderData} />
      </FormFrame>
    )
  }
  const { step, base, history } = loaderData
  return (
    <FormFrame {...loaderData}>
      <StepForm key={`${step} ${base}`} {...loaderData} />
      {history && <HistoryPanel history={history} />}
    </FormFrame>
  )
}

type FormFrameProps = {
  step: Step
  reached: number
  edits?: boolean
  subject?: string
  paths?: Record<string, string>
  children: ReactNode
}

function FormFrame({ step, reached, edits, subject, paths, children }: FormFrameProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const shownStep = useRef(step)
  useEffect(() => {
    if (shownStep.current === step) return
    shownStep.current = step
    heading.current?.focus({ preventScroll: true })
    heading.current?.scrollIntoView({ block: 'nearest' })
  }, [step])
  return (
    <div className={`${page.page} ${styles.page}`}>
      <PageTitle title={getFormTitle({ edits, subject })} english="Member registration" />
      <ol className={styles.steps}>
        {steps.map((name, index) => {
          const number = index + 1
          const isCurrent = number === step
          const isDone = number < reached && !isCurrent
          const stateClass = isDone ? styles.done : ''
          const label = (
            <>
              <span className={styles.number} data-mincho>
                {isDone ? '✓' : number}
              </span>
              <span className={styles.name}>{name}</span>
              {isDone && <span className="visually-hidden">（入力済み）</span>}
            </>
          )
          return (
            <li
              key={name}
              className={isCurrent ? styles.current : stateClass}
              aria-current={isCurrent ? 'step' : undefined}
            >
              {paths && number <= reached && !isCurrent ? <Link to={paths[number] ?? ''}>{label}</Link> : label}
            </li>
          )
        })}
      </ol>
      <div className={styles.sheet}>
        <h2 ref={heading} tabIndex={-1} className={styles.heading}>
          <span>{steps[step - 1]}</span> <small>{`ステップ${step}／5`}</small>
        </h2>
        {children}
      </div>
    </div>
  )
}

const problemTexts = {
  'id missing': 'どのメンバーの登録内容か分かりませんでした。メンバー一覧から開き直してください。',
  'not theirs': 'この登録内容は、ご本人と管理者だけがご覧いただけます。',
  'registered already': 'メンバー登録はお済みです。',
  'administrators only': 'アカウントのない方の登録は、管理者だけが行えます。',
}

function ProblemNotice({ problem, visitor }: { problem: keyof typeof problemTexts; visitor: Visitor }) {
  return (
    <>
      <Notice>
        <p>{problemTexts[problem]}</p>
      </Notice>
      <p className={page.actions}>
        <LinkButton to={visitor ? '/memberlist' : '/login'}>{visitor ? 'メンバー一覧へ' : 'ログイン'}</LinkButton>
        {problem === 'registered already' && visitor?.member && (
          <LinkButton to={`/membercreate/${visitor.member.id}`}>登録内容を変更する</LinkButton>
        )}
      </p>
    </>
  )
}
