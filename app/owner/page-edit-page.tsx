import { useState } from 'react'
import { data } from 'react-router'
import { assertAllowed } from '../forms/assert-allowed.ts'
import { DeleteRecord } from '../forms/delete-record.tsx'
import { formAction } from '../forms/form-action.server.ts'
import { Rejection, unwrap } from '../forms/outcome.ts'
import { parseValues } from '../forms/read-fields.ts'
import { undoOf } from '../forms/save-result.ts'
import type { SettingsResult } from '../forms/settings-form.tsx'
import { LiveUpdates } from '../live/live-updates.tsx'
import { isOwnPageId } from '../pages/own-page.ts'
import { PageFields } from '../pages/page-fields.tsx'
import { pageForm, pageFormValues } from '../pages/page-form.ts'
import { fieldsOf } from '../pages/page-words.ts'
import { deletePage, readPageToEdit, savePage } from '../pages/pages.server.ts'
import { refusalOfAdministration } from '../permissions.ts'
import { readHistory } from '../records/history.server.ts'
import { HistoryPanel } from '../records/history-panel.tsx'
import { settingsReply } from '../records/settings-record.server.ts'
import { contextOf } from '../request.ts'
import { LinkButton } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import type { Route } from './+types/page-edit-page.ts'
import { readLinkingCards } from './linking-cards.server.ts'
import { LinkingCards } from './linking-cards.tsx'

export async function loader({ context, params, url }: Route.LoaderArgs) {
  const { db, visitor } = contextOf(context)
  // If the visitor has no permission, the response must not reveal whether the page exists.
  assertAllowed(refusalOfAdministration(visitor))
  const found = await readPageToEdit(db, params.id)
  if (!found) throw data(null, 404)
  const { id, path, version, ...facts } = found
  return {
    ...{ id, path, version, shown: facts.shown },
    name: facts.label || facts.title,
    values: pageFormValues(facts),
    linking: (await readLinkingCards(context)).get(id) ?? [],
    history: await readHistory(context, { subject: 'page', id, url }),
  }
}

export const action = formAction<SettingsResult>(
  {
    fields: ({ params: { id = '' } }) => ['intent', 'version', ...fieldsOf(id)],
    intentOf: (field) => (field('intent') === 'delete' ? 'delete' : 'save'),
    refusal: refusalOfAdministration,
  },
  async ({ db, context, params: { id = '' }, form, field, intent, seen, author }) => {
    if (intent === 'delete') {
      const undo = unwrap(await deletePage(db, { id, ...seen }, author), {
        missing: PAGE_MISSING,
        conflict: CHANGED_SINCE,
      })
      const to = `/pages?${new URLSearchParams({ done: 'deleted', undo })}`
      return { done: '削除しました。', undo: undoOf(undo), to }
    }
    const now = await readPageToEdit(db, id)
    if (!now) throw new Rejection(PAGE_MISSING, 404)
    const facts = parseValues(pageForm(id), Object.fromEntries(form))
    const saved = await savePage(db, now.id, { ...seen, facts, plainText: field('text') }, author)
    const linkingCards = facts.shown === false ? ((await readLinkingCards(context)).get(now.id) ?? []) : []
    const linkNotice =
      linkingCards.length > 0
        ? `このページへのリンクが${linkingCards.length}件の項目にあります。お客さまには表示しません。`
        : ''
    return settingsReply(saved, pageFormValues, (save) => ({ done: `保存しました。${linkNotice}`, undo: undoOf(save) }))
  },
)

const PAGE_MISSING = 'このページは見つかりません。すでに削除されているようです。'
const CHANGED_SINCE = 'ほかの方が先に変更しました。現在の内容をご確認のうえ、もう一度お試しください。'

export const handle = { title: 'ページの編集', cache: 'none' }

export default function PageEditPage({ loaderData }: Route.ComponentProps) {
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <LiveUpdates topics={['site']} />
      <PageTitle title="ページの編集" english="Page">
        <LinkButton to={loaderData.path}>ページを見る</LinkButton>
        <LinkButton to="/pages">すべてのページ</LinkButton>
      </PageTitle>
      <PageEditor key={loaderData.id} {...loaderData} />
    </div>
  )
}

type PageEditorProps = Route.ComponentProps['loaderData']

function PageEditor({ id, name, version, shown, values, linking, history }: PageEditorProps) {
  /** Number of reverts, used as the React key of the form, so that a revert discards unsaved input. */
  const [revertCount, setRevertCount] = useState(0)
  return (
    <>
      {isOwnPageId(id) && !shown && (
        <Notice>
          まだ公開していません。書き終えたら、いちばん下の「このページを公開する」にチェックを入れて保存してください。
        </Notice>
      )}
      <PageFields key={revertCount} id={id} version={version} values={values} isPutBack={revertCount > 0} />
      <LinkingCards cards={linking} />
      {isOwnPageId(id) && <DeleteRecord label="このページを削除する" name={name} version={version} />}
      <HistoryPanel history={history} onPutBack={() => setRevertCount(revertCount + 1)} />
    </>
  )
}
