import { data, Link, useNavigation } from 'react-router'
import { readForm } from '../form.server.ts'
import { pageOfHistory } from '../history/history.ts'
import { HistoryPanel } from '../history/history-panel.tsx'
import { listRevisions } from '../history/revisions.server.ts'
import { Live } from '../live/live.tsx'
import { useAnswer } from '../live/use-answer.ts'
import { namesOfAccounts } from '../members/members.server.ts'
import { mayEditSite, refusedAdministrators } from '../permissions.ts'
import { authorOf, dbKey, logKey, visitorKey } from '../request.ts'
import button from '../ui/button.module.css'
import { fieldErrors } from '../ui/field-errors.ts'
import { Notice } from '../ui/notice.tsx'
import { orUnanswered } from '../ui/or-unanswered.ts'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import { useScrollTo } from '../ui/use-scroll-to.ts'
import type { Route } from './+types/site-page.ts'
import { pageMeta } from './page-meta.ts'
import { Refused } from './refused.tsx'
import { factsOf, putBackSite, readSiteToEdit, saveSite } from './site.server.ts'
import { type SiteAnswer, SiteFields } from './site-fields.tsx'
import { nestedSiteForm, SiteForm, siteFormFields, siteFormValues } from './site-form.ts'
import styles from './site-page.module.css'
import { siteInWords } from './site-words.ts'

export const headers = () => ({ 'cache-control': 'private, no-store' })

export async function loader({ context, url }: Route.LoaderArgs) {
  const db = context.get(dbKey)
  const visitor = context.get(visitorKey)
  // The readers' addresses are for administrators alone.
  if (!mayEditSite(visitor)) return { refusal: refusedAdministrators(visitor), edited: null }
  const { version, facts } = await readSiteToEdit(db)
  const history = await listRevisions(
    db,
    { subject: 'site', subjectId: 'site' },
    {
      inWords: (row: { facts: string }) => siteInWords(factsOf(row)),
      namesOf: (accountIds) => namesOfAccounts(db, visitor, accountIds),
      page: pageOfHistory(url),
    },
  )
  return { refusal: null, edited: { version, values: siteFormValues(facts), history } }
}

const SAVE_FAILED = 'データの保存に失敗しました。もう一度お試しください'

export async function action({ context, request }: Route.ActionArgs) {
  const db = context.get(dbKey)
  const visitor = context.get(visitorKey)
  const values = Object.fromEntries(
    await readForm(request, ['intent', 'version', 'revision', ...siteFormFields]),
  ) as Record<string, string>
  const answer = (status: number, said: SiteAnswer) => data(said, { status })

  if (!mayEditSite(visitor)) return answer(visitor ? 403 : 401, { failed: refusedAdministrators(visitor) })
  try {
    if (values.intent === 'put back') {
      const { outcome } = await putBackSite(db, values.revision ?? '', authorOf(context))
      if (outcome === 'missing') return answer(404, { failed: 'この変更は見つかりませんでした。' })
      return answer(200, { done: '選んだ時点の内容に戻しました。' })
    }
    const read = SiteForm.safeParse(nestedSiteForm(values))
    if (!read.success) return answer(400, { errors: fieldErrors(read.error.issues), values })
    const seen = { version: Number(values.version), facts: read.data }
    const saved = await saveSite(db, seen, authorOf(context))
    if (saved.outcome === 'saved')
      return answer(200, { done: saved.revision ? '保存しました。' : '変わったところはありませんでした。' })
    const { version, facts, mixed, clashes } = saved
    return answer(409, { values: siteFormValues(mixed), newer: { version, values: siteFormValues(facts), clashes } })
  } catch (error) {
    context.get(logKey).error({ err: error }, 'site save error')
    return answer(500, { failed: SAVE_FAILED, values })
  }
}

/** The same action; where the server cannot be reached, what was typed stays and the page says so. */
export function clientAction({ serverAction }: Route.ClientActionArgs) {
  return orUnanswered<unknown, SiteAnswer>(serverAction, { failed: SAVE_FAILED })
}

export function meta({ matches }: Route.MetaArgs) {
  return pageMeta(matches[0].loaderData, { title: 'お店の情報', path: '/site', listed: false })
}

export default function SitePage({ loaderData, actionData }: Route.ComponentProps) {
  const { edited, refusal } = loaderData
  const answer = useAnswer(actionData as SiteAnswer | undefined)
  const busy = useNavigation().state === 'submitting'
  // Where a field is wrong, that has the focus.
  const notices = useScrollTo(answer?.errors ? null : answer)
  return (
    <div className={`${page.page} ${styles.page}`}>
      <Live topics={['site']} />
      <PageTitle title="お店の情報" english="Shop and site">
        <Link to="/" className={button.button}>
          ホームを見る
        </Link>
      </PageTitle>
      {refusal && <Refused sentence={refusal} />}
      <div ref={notices}>
        {answer?.failed && <Notice kind="trouble">{answer.failed}</Notice>}
        {answer?.errors && <Notice kind="trouble">入力をご確認ください。赤い文字のところに理由があります。</Notice>}
        {answer?.newer && (
          <Notice kind="trouble">
            ほかの方が先に、同じところを変えて保存しました。「いまの内容」と見比べて、よろしければもう一度保存してください。
          </Notice>
        )}
        {answer?.done && <Notice kind="done">{answer.done}前の内容には、下の「これまでの変更」から戻せます。</Notice>}
      </div>
      {edited && (
        <>
          <SiteFields version={edited.version} values={edited.values} answer={answer} busy={busy} />
          <HistoryPanel history={edited.history} mayPutBack />
        </>
      )}
    </div>
  )
}
