import { useState } from 'react'
import { data } from 'react-router'
import { answered, failed, refused } from '../forms/answered.server.ts'
import type { FactsAnswer } from '../forms/facts-form.tsx'
import { Refused } from '../forms/refused.tsx'
import { undoOf } from '../forms/save-answer.ts'
import { Live } from '../live/live.tsx'
import { PictureGone, receivePicture } from '../media/images.server.ts'
import { isOwnPageId } from '../pages/own-page.ts'
import { DeletePage } from '../pages/page-deleting.tsx'
import { PageFields } from '../pages/page-fields.tsx'
import { pageForm, pageFormValues } from '../pages/page-form.ts'
import { fieldsOf } from '../pages/page-words.ts'
import { deletePage, readPageToEdit, savePage } from '../pages/pages.server.ts'
import { mayEditSite, mayUpload, refusedAdministrators } from '../permissions.ts'
import { readForm } from '../platform/form.server.ts'
import { readHistory } from '../records/history.server.ts'
import { HistoryPanel } from '../records/history-panel.tsx'
import { seenIn } from '../records/own-saves.server.ts'
import { ChangeRefused } from '../records/record.ts'
import { authorOf, contextOf } from '../request.ts'
import { LinkButton } from '../ui/button.tsx'
import { fieldErrors } from '../ui/field-errors.ts'
import { Notice } from '../ui/notice.tsx'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import type { Route } from './+types/page-edit-page.ts'
import { readLinkingCards } from './linking-cards.server.ts'
import { LinkingCards } from './linking-cards.tsx'

export async function loader({ context, params, url }: Route.LoaderArgs) {
  const { visitor } = contextOf(context)
  const refusal = mayEditSite(visitor) ? null : refusedAdministrators(visitor)
  // Visitors without the permission must not learn whether the page exists.
  if (refusal) return { refusal, edited: null }
  const found = await readPageToEdit(contextOf(context).db, params.id)
  if (!found) throw data(null, 404)
  const { id, path, version, ...facts } = found
  const name = facts.label || facts.title
  const history = await readHistory(context, { subject: 'page', id, url })
  const linking = (await readLinkingCards(context)).get(id) ?? []
  const values = pageFormValues(facts)
  return { refusal, edited: { id, name, path, version, shown: facts.shown, values, linking, history } }
}

export async function action({ context, request, params: { id } }: Route.ActionArgs) {
  const { db, visitor } = contextOf(context)
  const form = await readForm(request, ['intent', 'version', ...fieldsOf(id)], { file: 'imageFile' })
  const intent = form.get('intent') === 'delete' ? 'delete' : 'save'
  const seen = seenIn(form)
  for (const name of ['intent', 'own']) form.delete(name)
  const values = () => Object.fromEntries(form) as Record<string, string>
  const answer = (status: number, said: FactsAnswer) => answered(request, { intent, ...said }, status)

  if (!mayEditSite(visitor)) return refused(visitor, refusedAdministrators(visitor), intent)
  try {
    if (intent === 'delete') return deleted(request, await deletePage(db, { id, ...seen }, authorOf(context)))
    const now = await readPageToEdit(db, id)
    if (!now) return answer(404, { trouble: GONE })
    const withoutPicture = await receivePicture(db, form, { into: 'image', box: 'screen' }, authorOf(context))
    form.delete('imageFile')
    if (withoutPicture) return answer(400, { errors: { image: [withoutPicture] }, values: values() })
    const read = pageForm(id).safeParse(values())
    if (!read.success) return answer(400, { errors: fieldErrors(read.error.issues), values: values() })
    const saved = await savePage(db, now.id, { ...seen, facts: read.data }, authorOf(context))
    const linking = read.data.shown === false ? ((await readLinkingCards(context)).get(now.id) ?? []) : []
    const hides =
      linking.length > 0 ? `このページへのリンクが${linking.length}件の項目にあります。来訪者には出しません。` : ''
    if (saved.outcome === 'saved')
      return saved.save
        ? answer(200, { done: `保存しました。${hides}`, undo: undoOf(saved.save) })
        : answer(200, { done: '変わったところはありませんでした。' })
    const { version, clashes } = saved
    const newer = { version, values: pageFormValues(saved.facts), clashes }
    return answer(409, { values: pageFormValues(saved.mixed), newer })
  } catch (error) {
    if (error instanceof PictureGone) return answer(400, { errors: { image: [error.message] }, values: values() })
    if (error instanceof ChangeRefused) return answer(error.status, { trouble: error.message, values: values() })
    const [status, said] = failed(context, error)
    return answer(status, { ...said, values: values() })
  }
}

function deleted(request: Request, result: Awaited<ReturnType<typeof deletePage>>) {
  const intent = 'delete'
  const { outcome } = result
  if (outcome === 'missing') return answered<FactsAnswer>(request, { intent, trouble: GONE }, 404)
  if (outcome === 'newer') return answered<FactsAnswer>(request, { intent, trouble: CHANGED }, 409)
  const undo = undoOf(result.save)
  const to = `/pages?${new URLSearchParams({ done: 'deleted', undo: result.save })}`
  return answered<FactsAnswer>(request, { intent, done: '削除しました。', undo, to }, 200)
}

const GONE = 'このページは見つかりません。すでに削除されているようです。'
const CHANGED = 'ほかの方が先に変更しました。いまの内容をご確認のうえ、もう一度お試しください。'

export { needsItsData as shouldRevalidate } from '../ui/needs-its-data.ts'

export const handle = { title: 'ページの編集', mayAttachImages: mayUpload, cache: 'none' }

export default function PageEditPage({ loaderData }: Route.ComponentProps) {
  const { edited, refusal } = loaderData
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <Live topics={['site']} />
      <PageTitle title="ページの編集" english="Page">
        {edited && <LinkButton to={edited.path}>ページを見る</LinkButton>}
        {edited && <LinkButton to="/pages">すべてのページ</LinkButton>}
      </PageTitle>
      {refusal && <Refused sentence={refusal} />}
      {edited && <Editing key={edited.id} {...edited} />}
    </div>
  )
}

type Edited = NonNullable<Route.ComponentProps['loaderData']['edited']>

function Editing({ id, name, version, shown, values, linking, history }: Edited) {
  /** Counts reverts: a new key discards the unsaved input. */
  const [back, setBack] = useState(0)
  return (
    <>
      {isOwnPageId(id) && !shown && (
        <Notice>
          まだ来訪者には見えません。書き終えたら、いちばん下の「このページを見せる」にチェックを入れて保存してください。
        </Notice>
      )}
      <PageFields key={back} id={id} version={version} values={values} isPutBack={back > 0} />
      <LinkingCards cards={linking} />
      {isOwnPageId(id) && <DeletePage name={name} version={version} />}
      <HistoryPanel history={history} onPutBack={() => setBack(back + 1)} />
    </>
  )
}
