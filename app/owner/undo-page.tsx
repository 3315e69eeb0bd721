import { isConflict } from '../../db/engine.ts'
import { formAction } from '../forms/form-action.server.ts'
import { denied, Rejection } from '../forms/outcome.ts'
import { Outcome } from '../forms/save-form.tsx'
import { undoOf } from '../forms/save-result.ts'
import { useSave } from '../forms/use-save.ts'
import type { RevertResult } from '../records/history-panel.tsx'
import type { AnyRecordType, RecordRow } from '../records/record.ts'
import { type Revision, readRevision, readSave } from '../records/revisions.server.ts'
import { revert, undoSave } from '../records/undo.server.ts'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'

const CHANGED_SINCE = 'その後に変更があったため、元に戻せませんでした。'

export const action = formAction<RevertResult>(
  { fields: ['save', 'revision'], intentOf: (field) => (field('revision') ? 'put back' : 'take back') },
  async ({ db, context, visitor, records: { recordTypes, readRule }, field, author }) => {
    const [saveId, revisionId] = [field('save'), field('revision')]
    const rule = await readRule(db)
    const changes = revisionId ? [await readRevision(db, revisionId)] : await readSave(db, saveId)
    const records = changes.flatMap((change) => findRecord(recordTypes, change))
    const [record] = records
    if (!record) throw new Rejection('この変更は見つかりませんでした。', 404)
    for (const { kind, row } of records) {
      const sentence = kind.refusal(visitor, rule, row)
      if (sentence) throw denied(visitor, sentence)
    }
    if (!revisionId) {
      const save = await undoSave(db, recordTypes, saveId, author, context).catch(rejectConflict)
      if (!save) throw new Rejection(CHANGED_SINCE)
      return { done: '元に戻しました。', undo: undoOf(save) }
    }
    const reverted = await revert(db, record.kind, revisionId, author, context).catch(rejectConflict)
    if (!reverted) throw new Rejection('この時点の内容が見つかりませんでした。', 404)
    const { save, row } = reverted
    const to = record.kind.leaves && urlWithUndo(record.kind.urlOf(row), 'put back', save)
    return { done: '選んだ時点の内容に戻しました。', undo: undoOf(save), version: row.version, ...(to && { to }) }
  },
)

function rejectConflict(error: unknown): never {
  throw isConflict(error) ? new Rejection(CHANGED_SINCE) : error
}

function findRecord(kinds: readonly AnyRecordType[], change: Revision | null) {
  const kind = kinds.find(({ subject }) => subject === change?.subject)
  if (!kind || !change) return []
  return [{ kind, row: (change.after ?? change.before) as RecordRow }]
}

function urlWithUndo(url: string, done: string, undo: string) {
  const [page = '', hash] = url.split('#')
  return `${page}${page.includes('?') ? '&' : '?'}${new URLSearchParams({ done, undo })}${hash ? `#${hash}` : ''}`
}

export const handle = { cache: 'browser', title: '元に戻す' }

export default function UndoPage() {
  const save = useSave()
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <PageTitle title="元に戻す" english="Undo" />
      <Outcome save={save} />
      {!save.answer && <p>変更を元に戻すには、それぞれの「元に戻す」ボタンか「変更履歴」をお使いください。</p>}
    </div>
  )
}
