import { type ReactNode, useEffect, useRef } from 'react'
import { data, Link, redirect } from 'react-router'
import { countAttempt, tooManyTries } from '../attempts.server.ts'
import { readForm } from '../form.server.ts'
import { pageOfHistory } from '../history/history.ts'
import { HistoryPanel } from '../history/history-panel.tsx'
import { listRevisions } from '../history/revisions.server.ts'
import { mayManageMembers } from '../permissions.ts'
import { authKey, clockKey, dbKey, logKey, type RequestContext, visitorKey } from '../request.ts'
import { pageMeta } from '../site/page-meta.ts'
import button from '../ui/button.module.css'
import { Notice } from '../ui/notice.tsx'
import { orUnanswered } from '../ui/or-unanswered.ts'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import { useScrollTo } from '../ui/use-scroll-to.ts'
import type { Route } from './+types/member-form-page.ts'
import { putBackMember } from './administration.server.ts'
import { draftOwner, dropDraft, keepDraft, makeDraftOwner } from './drafts.server.ts'
import { fieldsOf, type MemberField, type Step, sentences, steps } from './member.ts'
import {
  formFields,
  type Problem,
  pathsOf,
  privateHeaders,
  readDrafting,
  stepPath,
  typedIn,
} from './member-drafting.server.ts'
import styles from './member-form.module.css'
import { aroundOf } from './member-notices.server.ts'
import { type Faults, faultsOfStep } from './member-schema.ts'
import { type Answer, StepForm } from './member-step-form.tsx'
import { memberInWords, troubles } from './member-words.ts'
import { namesOfAccounts } from './members.server.ts'
import { isTaken } from './registration.server.ts'

export const headers = () => privateHeaders

export async function loader({ request, context, params, url }: Route.LoaderArgs) {
  const subject = subjectOf(params, url)
  const drafting = await readDrafting(context, request, subject)
  const { setCookie } = drafting
  const send = setCookie ? { headers: { 'set-cookie': setCookie } } : {}
  if (drafting.problem !== null) {
    const status = drafting.problem === 'not there' ? 404 : 200
    const memberId = context.get(visitorKey)?.member?.id
    return data(
      { problem: drafting.problem, signedIn: context.get(visitorKey) !== null, memberId },
      { ...send, status },
    )
  }
  const { values, reached, record, base, flags } = drafting
  // Who filled in everything as a guest and has just signed in goes on where they were stopped.
  if (setCookie && drafting.draft && reached > 5) return redirect(pathsOf(subject).confirm, send)
  const asked = Number(url.searchParams.get('step') ?? 1)
  const step = Math.max(1, Math.min(Number.isInteger(asked) ? asked : 1, reached, 5)) as Step
  const db = context.get(dbKey)
  const visitor = context.get(visitorKey)
  const history =
    record && mayManageMembers(visitor)
      ? await listRevisions(
          db,
          { subject: 'member', subjectId: record.id },
          {
            inWords: memberInWords,
            namesOf: (accountIds) => namesOfAccounts(db, visitor, accountIds),
            page: pageOfHistory(url),
          },
        )
      : null
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
      mayRunTheSite: record?.hasAccount ?? false,
      kept: record && { birthday: record.birthday, realname: record.realname },
      paths: Object.fromEntries([1, 2, 3, 4, 5].map((number) => [number, stepPath(subject, number)])),
      finished: drafting.draft && reached > 5 ? pathsOf(subject).confirm : null,
    },
    send,
  )
}

function subjectOf(params: { id?: string }, url: URL) {
  if (params.id !== undefined) return params.id
  return url.searchParams.get('for') === 'nonmember' ? 'nonmember' : 'new'
}

export async function action({ request, context, params, url }: Route.ActionArgs) {
  const visitor = context.get(visitorKey)
  const db = context.get(dbKey)
  const subject = subjectOf(params, url)
  const { problem, record, draft } = { record: null, draft: null, ...(await readDrafting(context, request, subject)) }
  if (problem) return data({ refused: true }, visitor ? 403 : 401)

  const form = await readForm(request, formFields({ mayGiveFlags: mayManageMembers(visitor) }), {
    others: (ignored) => context.get(logKey).warn({ ignored, by: visitor?.accountId }, 'fields ignored'),
  })
  if (record && form.get('intent') === 'put back') return putBack(context, request, record.id, form)
  const step = Math.max(1, Math.min(5, Math.trunc(Number(form.get('step'))) || 1)) as Step
  const typed = typedIn(form, step)

  const now = context.get(clockKey)()
  const { address } = context.get(authKey)
  const wait = visitor || draft ? null : await countAttempt(db, 'draft', { address, now })
  if (wait) return data({ tooOften: tooManyTries(wait), step, values: typed }, 429)
  const { owner, setCookie } = await makeDraftOwner(request, visitor)
  const send = setCookie ? { headers: { 'set-cookie': setCookie } } : {}
  const kept = await keepDraft(db, { owner, subject, now }, typed)
  if (!kept) return data({ tooMuch: true, step, values: typed }, { ...send, status: 413 })

  const intent = form.get('intent')
  if (intent === 'keep') return data({ kept: true }, send)
  if (intent === 'back') return redirect(stepPath(subject, Math.max(1, step - 1)), send)
  const faults: Faults = faultsOfStep(step, typed) ?? {}
  // Guests are told at the end: they need not learn which names there are.
  if (visitor && step === 1 && !faults.accountname && (await isTaken(db, typed.accountname ?? '', record?.id))) {
    faults.accountname = sentences.accountnameTaken
  }
  if (Object.keys(faults).length > 0) return data({ step, faults, values: typed }, { ...send, status: 400 })
  return redirect(step === 5 ? pathsOf(subject).confirm : stepPath(subject, step + 1), send)
}

async function putBack(context: RequestContext, request: Request, id: string, form: FormData) {
  const db = context.get(dbKey)
  const visitor = context.get(visitorKey)
  const at = new Date(context.get(clockKey)()).toISOString()
  const done = await putBackMember(
    db,
    visitor,
    { id, revisionId: String(form.get('revision')) },
    { at, around: aroundOf(context) },
  )
  if (!done) return data({ trouble: 'この操作は管理者だけができます。' }, 403)
  if (done.state !== 'done') {
    const [trouble, status] = troubles[done.state]
    return data({ trouble }, status)
  }
  // What was typed before is about another state.
  const owner = await draftOwner(request, visitor)
  if (owner) await dropDraft(db, owner, id)
  return data({ done: `${done.username} さんの登録内容を、選んだ時点に戻しました。` })
}

export { needsItsData as shouldRevalidate } from '../ui/needs-its-data.ts'

/** Without a network nothing is lost: what was typed stays in the form. */
export function clientAction({ serverAction }: Route.ClientActionArgs) {
  return orUnanswered(serverAction, { offline: true })
}

export function meta({ matches }: Route.MetaArgs) {
  return pageMeta(matches[0].loaderData, { title: 'メンバー登録', path: '/membercreate', listed: false })
}

export default function MemberFormPage({ loaderData, actionData }: Route.ComponentProps) {
  const said = actionData as { trouble?: string; done?: string } | undefined
  const notices = useScrollTo(said?.trouble || said?.done ? said : null)
  if (loaderData.problem !== null) {
    return (
      <Frame step={1} reached={1}>
        <ProblemNotice {...loaderData} />
      </Frame>
    )
  }
  const { step, base, history } = loaderData
  return (
    <Frame {...loaderData}>
      <div ref={notices}>
        {said?.trouble && <Notice kind="trouble">{said.trouble}</Notice>}
        {said?.done && <Notice kind="done">{said.done}</Notice>}
      </div>
      <StepForm key={`${step} ${base}`} {...loaderData} answer={actionData as Answer | undefined} />
      {history && <HistoryPanel history={history} mayPutBack />}
    </Frame>
  )
}

type FrameProps = {
  step: Step
  reached: number
  edits?: boolean
  subject?: string
  paths?: Record<string, string>
  children: ReactNode
}

function Frame({ step, reached, edits = false, subject, paths, children }: FrameProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const shown = useRef(step)
  useEffect(() => {
    if (shown.current !== step) heading.current?.focus({ preventScroll: true })
    shown.current = step
  }, [step])
  const title = edits ? '登録内容の変更' : subject === 'nonmember' ? 'アカウントのない方の登録' : 'メンバー登録'
  return (
    <div className={`${page.page} ${styles.page}`}>
      <PageTitle title={title} english="Member registration" />
      <ol className={styles.steps}>
        {steps.map((name, index) => {
          const number = index + 1
          const state = number === step ? styles.current : number < reached ? styles.done : ''
          const label = (
            <>
              <span className={styles.number} data-mincho>
                {number < reached && number !== step ? '✓' : number}
              </span>
              <span className={styles.name}>{name}</span>
              {number < reached && number !== step && <span className="visually-hidden">（入力済み）</span>}
            </>
          )
          return (
            <li key={name} className={state} aria-current={number === step ? 'step' : undefined}>
              {paths && number <= reached && number !== step ? <Link to={paths[number] ?? ''}>{label}</Link> : label}
            </li>
          )
        })}
      </ol>
      <div className={styles.sheet}>
        <h2 ref={heading} tabIndex={-1} className={styles.heading}>
          <span>{steps[step - 1]}</span> <small>5つのうち{step}つめ</small>
        </h2>
        {children}
      </div>
    </div>
  )
}

const problems: Record<Problem, string> = {
  'id missing': 'どのメンバーの登録内容か分かりませんでした。メンバー一覧から開き直してください。',
  'not theirs': 'この登録内容は、ご本人と管理者だけがご覧いただけます。',
  'not there': 'このメンバーの登録が見つかりません。削除されたか、アドレスが違うようです。',
  'registered already': 'メンバー登録はお済みです。',
  'administrators only': 'アカウントのない方の登録は、管理者だけができます。',
}

function ProblemNotice({
  problem,
  signedIn,
  memberId,
}: {
  problem: Problem
  signedIn: boolean
  memberId?: string | undefined
}) {
  return (
    <>
      <Notice>
        <p>
          {problems[problem]}
          {!signedIn && 'ログインしてください。'}
        </p>
      </Notice>
      <p className={page.actions}>
        {signedIn ? (
          <Link to="/memberlist" className={button.button}>
            メンバー一覧へ
          </Link>
        ) : (
          <Link to="/login" className={button.button}>
            ログインへ
          </Link>
        )}
        {problem === 'registered already' && memberId && (
          <Link to={`/membercreate/${memberId}`} className={button.button}>
            登録内容を変更する
          </Link>
        )}
      </p>
    </>
  )
}
