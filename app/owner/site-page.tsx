import { useState } from 'react'
import { answered, failed, refused } from '../forms/answered.server.ts'
import type { FactsAnswer } from '../forms/facts-form.tsx'
import { Refused } from '../forms/refused.tsx'
import { Live } from '../live/live.tsx'
import { readersOf } from '../mail/readers.server.ts'
import { PictureGone, receivePicture } from '../media/images.server.ts'
import { mayEditSite, refusedAdministrators } from '../permissions.ts'
import { readForm } from '../platform/form.server.ts'
import { readHistory } from '../records/history.server.ts'
import { HistoryPanel } from '../records/history-panel.tsx'
import { seenIn } from '../records/own-saves.server.ts'
import { authorOf, contextOf } from '../request.ts'
import { isCircleOn } from '../settings/circle.server.ts'
import { readSiteToEdit, saveSite } from '../settings/site.server.ts'
import { SiteFields } from '../settings/site-fields.tsx'
import { nestedSiteForm, siteForm, siteFormFields, siteFormValues, withWholeLinks } from '../settings/site-form.ts'
import { isSiteSection, type SiteSection, siteSectionNames } from '../settings/site-sections.ts'
import { LinkButton } from '../ui/button.tsx'
import { fieldErrors } from '../ui/field-errors.ts'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import type { Route } from './+types/site-page.ts'
import styles from './site-page.module.css'

export async function loader({ context, url }: Route.LoaderArgs) {
  const { db, visitor, mailer, ownerEmail } = contextOf(context)
  // Only administrators may see the readers' e-mail addresses.
  if (!mayEditSite(visitor)) return { refusal: refusedAdministrators(visitor), edited: null }
  const { version, facts } = await readSiteToEdit(db)
  const history = await readHistory(context, { subject: 'site', id: 'site', url })
  const readers = mailer.verifies ? await readersOf(db, 'shop', { ...facts, ownerEmail }) : null
  const values = Object.fromEntries(siteSectionNames.map((section) => [section, siteFormValues(section, facts)]))
  return {
    refusal: null,
    edited: {
      version,
      values: values as Record<SiteSection, Record<string, string>>,
      readers,
      hasCircle: await isCircleOn(db),
      history,
    },
  }
}

const WAY_BACK = '前の内容には、下の「これまでの変更」から戻せます。'
const NO_SECTION = 'この画面は前のもののようです。読み込みなおしてから、もう一度お試しください。'

export async function action({ context, request }: Route.ActionArgs) {
  const { db, visitor } = contextOf(context)
  const form = await readForm(request, ['section', 'version', ...siteSectionNames.flatMap(siteFormFields)], {
    file: 'imageFile',
  })
  const named = form.get('section')
  const section = isSiteSection(named) ? named : undefined
  if (!mayEditSite(visitor)) return refused(visitor, refusedAdministrators(visitor), section)
  if (!section) return answered(request, { trouble: NO_SECTION }, 400)
  const answer = (status: number, said: FactsAnswer) => answered(request, { intent: section, ...said }, status)
  // Fields of other sections are ignored.
  const [fields, seen] = [siteFormFields(section), seenIn(form)]
  for (const name of new Set(form.keys())) if (!fields.includes(name)) form.delete(name)

  const author = authorOf(context)
  try {
    const withoutPicture = await receivePicture(db, form, { into: 'wayPicture', box: 'screen' }, author)
    const values = textsIn(form)
    if (withoutPicture) return answer(400, { errors: { wayPicture: [withoutPicture] }, values })
    const read = siteForm(section).safeParse(nestedSiteForm(values))
    if (!read.success) return answer(400, { errors: fieldErrors(read.error.issues), values: withWholeLinks(values) })
    const saved = await saveSite(db, { ...seen, facts: read.data }, author)
    if (saved.outcome === 'saved') {
      const { save } = saved
      return answer(200, { done: save ? `保存しました。${WAY_BACK}` : '変わったところはありませんでした。', save })
    }
    const { facts, mixed, clashes } = saved
    const newer = { version: saved.version, values: siteFormValues(section, facts), clashes }
    return answer(409, { values: siteFormValues(section, mixed), newer })
  } catch (error) {
    const values = textsIn(form)
    if (error instanceof PictureGone) return answer(400, { errors: { wayPicture: [error.message] }, values })
    const [status, said] = failed(context, error)
    return answer(status, { ...said, values })
  }
}

function textsIn(form: FormData): Record<string, string> {
  return Object.fromEntries([...form].filter((field): field is [string, string] => typeof field[1] === 'string'))
}

export { needsItsData as shouldRevalidate } from '../ui/needs-its-data.ts'

export const handle = { title: 'お店の情報', mayAttachImages: mayEditSite, cache: 'none' }

export default function SitePage({ loaderData }: Route.ComponentProps) {
  const { edited, refusal } = loaderData
  return (
    <div className={`${page.page} ${styles.page}`}>
      <Live topics={['site']} />
      <PageTitle title="お店の情報" english="Shop and site">
        <LinkButton to="/pages">ページ</LinkButton>
        <LinkButton to="/">ホームを見る</LinkButton>
      </PageTitle>
      {refusal && <Refused sentence={refusal} />}
      {edited && <Editing {...edited} />}
    </div>
  )
}

type Edited = NonNullable<Route.ComponentProps['loaderData']['edited']>

function Editing({ history, ...edited }: Edited) {
  /** Counts reverts: a new key discards the unsaved input. */
  const [back, setBack] = useState(0)
  return (
    <>
      <SiteFields key={back} {...edited} isPutBack={back > 0} />
      <HistoryPanel history={history} onPutBack={() => setBack(back + 1)} />
    </>
  )
}
