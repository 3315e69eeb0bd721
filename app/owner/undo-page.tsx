import { isConflict } from '../../db/conflict.ts'
import { answered, failed, refused } from '../forms/answered.server.ts'
import { undoOf } from '../forms/save-answer.ts'
import { Outcome } from '../forms/save-form.tsx'
import { useSave } from '../forms/use-save.ts'
import { readForm } from '../platform/form.server.ts'
import type { PutBack } from '../records/history-panel.tsx'
import { ChangeRefused, type Kept } from '../records/record.ts'
import { type Revision, readRevision, readSave } from '../records/revisions.server.ts'
import { followIn, putBack, takeBack } from '../records/undo.server.ts'
import { authorOf, contextOf, type RequestContext } from '../request.ts'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import type { Route } from './+types/undo-page.ts'

const CHANGED_SINCE = 'その後に変更があったため、元に戻せませんでした。'

/** Handles every undo: undoes a whole `save`, or reverts a record to a `revision`. */
export async function action({ context, request }: Route.ActionArgs) {
  const form = await readForm(request, ['save', 'revision'])
  const [saveId = '', revisionId = ''] = ['save', 'revision'].map((name) => String(form.get(name) ?? ''))
  const intent = revisionId ? 'put back' : 'take back'
  const answer = (status: number, said: PutBack) => answered<PutBack>(request, { intent, ...said }, status)
  const { db, visitor } = contextOf(context)
  const { kinds, readRule } = contextOf(context).records
  try {
    const rule = await readRule(db)
    const changes = revisionId ? [await readRevision(db, revisionId)] : await readSave(db, saveId)
    const records = changes.flatMap((change) => recordOf(context, change))
    const [record] = records
    if (!record) return answer(404, { trouble: 'この変更は見つかりませんでした。' })
    for (const { kind, row } of records) {
      const sentence = kind.refusal(visitor, rule, row)
      if (sentence) return refused(visitor, sentence, intent)
    }
    const follow = followIn(context)
    const author = authorOf(context)
    const put = revisionId ? await putBack(db, record.kind, revisionId, author, follow) : null
    if (revisionId && !put) return answer(404, { trouble: 'この時点の内容が見つかりませんでした。' })
    const back = put?.save ?? (await takeBack(db, kinds, saveId, author, follow))
    if (!back) return answer(409, { trouble: CHANGED_SINCE })
    const done = put ? '選んだ時点の内容に戻しました。' : '元に戻しました。'
    const shown = record.kind.addressOf(put?.row ?? record.shown)
    const address = addressAfter(shown, put ? 'put back' : 'taken back', back)
    const to = put && record.kind.leaves ? { to: address } : {}
    const said = { intent, done, undo: undoOf(back), version: put?.row.version, ...to }
    return answered<PutBack>(request, said, 200, address)
  } catch (error) {
    if (error instanceof ChangeRefused) return answer(error.status, { trouble: error.message })
    if (isConflict(error)) return answer(409, { trouble: CHANGED_SINCE })
    return answer(...failed(context, error))
  }
}

function recordOf(context: RequestContext, change: Revision | null) {
  const kind = contextOf(context).records.kinds.find(({ subject }) => subject === change?.subject)
  if (!kind || !change) return []
  const [before, after] = [change.before as Kept | null, change.after as Kept | null]
  return [{ kind, row: (after ?? before) as Kept, shown: (before ?? after) as Kept }]
}

function addressAfter(address: string, done: string, undo: string) {
  const [page = '', hash] = address.split('#')
  return `${page}${page.includes('?') ? '&' : '?'}${new URLSearchParams({ done, undo })}${hash ? `#${hash}` : ''}`
}

export const handle = { cache: 'browser', title: '元に戻す' }

/** Renders the errors of an undo for browsers without scripts. */
export default function UndoPage() {
  const save = useSave()
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <PageTitle title="元に戻す" english="Undo" />
      <Outcome save={save} />
      {!save.answer && <p>変更を元に戻すには、それぞれの「元に戻す」ボタンか「これまでの変更」をお使いください。</p>}
    </div>
  )
}
