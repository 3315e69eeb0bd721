import { useState } from 'react'
import { readForm } from '../form.server.ts'
import { pageMeta } from '../frame/page-meta.ts'
import { Live } from '../live/live.tsx'
import { mailerKey } from '../mail/mailer.server.ts'
import { readersOf } from '../mail/readers.server.ts'
import { namesOfAccounts } from '../members/members.server.ts'
import { mayEditSite, refusedAdministrators } from '../permissions.ts'
import { pageOfHistory } from '../records/history.ts'
import { HistoryPanel } from '../records/history-panel.tsx'
import { listRevisions } from '../records/revisions.server.ts'
import { authorOf, dbKey, ownerEmailKey, visitorKey } from '../request.ts'
import { answered, failed, refused } from '../saving/answered.server.ts'
import { Refused } from '../saving/refused.tsx'
import { LinkButton } from '../ui/button.tsx'
import { fieldErrors } from '../ui/field-errors.ts'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import type { Route } from './+types/site-page.ts'
import { factsOf, putBackSite, readSiteToEdit, saveSite } from './site.server.ts'
import { type SiteAnswer, SiteFields } from './site-fields.tsx'
import { nestedSiteForm, SiteForm, siteFormFields, siteFormValues, withHttpsInLinks } from './site-form.ts'
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
  const ownerEmail = context.get(ownerEmailKey)
  const readers = context.get(mailerKey).verifies ? await readersOf(db, 'shop', { ...facts, ownerEmail }) : null
  return { refusal: null, edited: { version, values: siteFormValues(facts), readers, history } }
}

const WAY_BACK = '前の内容には、下の「これまでの変更」から戻せます。'

export async function action({ context, request }: Route.ActionArgs) {
  const db = context.get(dbKey)
  const visitor = context.get(visitorKey)
  const values = Object.fromEntries(
    await readForm(request, ['intent', 'version', 'revision', ...siteFormFields]),
  ) as Record<string, string>
  const intent = values.intent === 'put back' ? 'put back' : 'save'
  const answer = (status: number, said: SiteAnswer) => answered(request, { intent, ...said }, status)

  if (!mayEditSite(visitor)) return refused(visitor, refusedAdministrators(visitor), intent)
  try {
    if (intent === 'put back') {
      const { outcome } = await putBackSite(db, values.revision ?? '', authorOf(context))
      if (outcome === 'missing') return answer(404, { trouble: 'この変更は見つかりませんでした。' })
      return answer(200, { done: '選んだ時点の内容に戻しました。' })
    }
    const read = SiteForm.safeParse(nestedSiteForm(values))
    if (!read.success) return answer(400, { errors: fieldErrors(read.error.issues), values: withHttpsInLinks(values) })
    const seen = { version: Number(values.version), facts: read.data }
    const saved = await saveSite(db, seen, authorOf(context))
    if (saved.outcome === 'saved')
      return answer(200, { done: saved.revision ? `保存しました。${WAY_BACK}` : '変わったところはありませんでした。' })
    const { version, facts, mixed, clashes } = saved
    return answer(409, { values: siteFormValues(mixed), newer: { version, values: siteFormValues(facts), clashes } })
  } catch (error) {
    return answer(500, { trouble: failed(context, error), values })
  }
}

export { needsItsData as shouldRevalidate } from '../ui/needs-its-data.ts'

export function meta({ matches }: Route.MetaArgs) {
  return pageMeta(matches[0].loaderData, { title: 'お店の情報', path: '/site', listed: false })
}

export default function SitePage({ loaderData }: Route.ComponentProps) {
  const { edited, refusal } = loaderData
  return (
    <div className={`${page.page} ${styles.page}`}>
      <Live topics={['site']} />
      <PageTitle title="お店の情報" english="Shop and site">
        <LinkButton to="/">ホームを見る</LinkButton>
      </PageTitle>
      {refusal && <Refused sentence={refusal} />}
      {edited && <Editing {...edited} />}
    </div>
  )
}

type Edited = NonNullable<Route.ComponentProps['loaderData']['edited']>

function Editing({ version, values, readers, history }: Edited) {
  /** Counts the states that were put back: what was typed before goes. */
  const [back, setBack] = useState(0)
  return (
    <>
      <SiteFields key={back} version={version} values={values} readers={readers} />
      <HistoryPanel history={history} mayPutBack onPutBack={() => setBack(back + 1)} />
    </>
  )
}
