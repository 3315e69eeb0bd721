import { useState } from 'react'
import { data } from 'react-router'
import { assertAllowed } from '../forms/assert-allowed.ts'
import { DeleteRecord } from '../forms/delete-record.tsx'
import { formAction } from '../forms/form-action.server.ts'
import { Rejection, unwrap } from '../forms/outcome.ts'
import { parseValues } from '../forms/read-fields.ts'
import { undoOf } from '../forms/save-result.ts'
import {
  CheckboxSetting,
  SelectSetting,
  SettingsForm,
  type SettingsResult,
  type SettingsState,
  TextSetting,
} from '../forms/settings-form.tsx'
import { refusalOfCalendar } from '../permissions.ts'
import { readHistory } from '../records/history.server.ts'
import { HistoryPanel } from '../records/history-panel.tsx'
import { removeOnce } from '../records/own-saves.server.ts'
import { UUID } from '../records/record.ts'
import { settingsReply } from '../records/settings-record.server.ts'
import { contextOf } from '../request.ts'
import { isCircleOn } from '../settings/circle.server.ts'
import { readSite } from '../settings/site.server.ts'
import { truncate } from '../ui/characters.ts'
import { Dialog } from '../ui/dialog.tsx'
import { useReturnLink } from '../ui/use-return-link.ts'
import type { Route } from './+types/notice-page.ts'
import { MAX_TEXT, NoticeForm, noticeFieldNames, noticeFormValues, places } from './notice-form.ts'
import styles from './notice-page.module.css'
import { noticeRecord } from './notice-record.server.ts'
import { emptyNotice, readNotice, saveNotice } from './notices.server.ts'

export async function loader({ context, params: { id }, url }: Route.LoaderArgs) {
  const { db, visitor } = contextOf(context)
  assertAllowed(refusalOfCalendar(visitor, await readSite(db)))
  const hasCircle = await isCircleOn(db)
  if (id === undefined) {
    const prepared = Object.fromEntries(noticeFieldNames.map((name) => [name, url.searchParams.get(name) ?? undefined]))
    const { data: facts = emptyNotice } = NoticeForm.safeParse(prepared)
    // The ID of a new notice makes a repeated submission add the notice only once.
    return { id: crypto.randomUUID(), version: 0, values: noticeFormValues(facts), hasCircle, history: null }
  }
  const notice = await readNotice(db, id)
  if (!notice) throw data(null, 404)
  const history = await readHistory(context, { subject: 'notice', id, url })
  return { id, version: notice.version, values: noticeFormValues(notice), hasCircle, history }
}

export const action = formAction<SettingsResult>(
  {
    fields: ['intent', 'id', 'version', ...noticeFieldNames],
    intentOf: (field) => (field('intent') === 'delete' ? 'delete' : 'save'),
    refusal: refusalOfCalendar,
  },
  async ({ db, form, field, params, intent, seen, author }) => {
    const id = params.id ?? field('id')
    if (intent === 'delete') {
      const undo = unwrap(await removeOnce(db, noticeRecord, { id, ...seen }, author), { missing: MISSING })
      return { done: 'お知らせを削除しました。', undo: undoOf(undo), to: '/notices' }
    }
    if (!UUID.test(id) || (params.id !== undefined && !(await readNotice(db, id)))) throw new Rejection(MISSING, 404)
    const facts = parseValues(NoticeForm, Object.fromEntries(form))
    const saved = await saveNotice(db, id, { ...seen, facts }, author)
    const to = `/notices#notice-${id}`
    // A repeated submission of a new notice changes nothing, because the first response was lost.
    if (params.id === undefined && saved.ok === null) return { done: 'お知らせを追加しました。', to }
    return settingsReply(saved, noticeFormValues, (save) => ({
      done: params.id === undefined ? 'お知らせを追加しました。' : '保存しました。',
      undo: undoOf(save),
      to,
    }))
  },
)

const MISSING = 'このお知らせは見つかりません。すでに削除されているようです。'

export const handle = {
  cache: 'none',
  title: ({ version }: Route.ComponentProps['loaderData']) => titleOf(version),
}

function titleOf(version: number) {
  return version === 0 ? 'お知らせの追加' : 'お知らせの編集'
}

export default function NoticePage({ loaderData, params }: Route.ComponentProps) {
  const { version, values, hasCircle, history } = loaderData
  // Each load creates another ID for a new notice.
  const [newId] = useState(loaderData.id)
  /** Number of reverts, used as the React key of the form, so that a revert discards unsaved input. */
  const [revertCount, setRevertCount] = useState(0)
  return (
    <Dialog title={titleOf(version)} onClose={useReturnLink('/notices')} sheet>
      <SettingsForm
        key={revertCount}
        version={version}
        values={values}
        // A prepared text has its own draft.
        draftName={`notice ${params.id ?? `new ${values.shownUntil}`}`}
        isPutBack={revertCount > 0}
        replaces
        button={version === 0 ? '追加する' : '保存する'}
      >
        {(state) => (
          <>
            <input type="hidden" name="id" value={params.id ?? newId} />
            <NoticeFields {...state} hasCircle={hasCircle} />
          </>
        )}
      </SettingsForm>
      {version > 0 && (
        <div className={styles.delete}>
          <DeleteRecord label="このお知らせを削除する" name={truncate(values.text ?? '', 20)} version={version} />
        </div>
      )}
      {history && <HistoryPanel history={history} onPutBack={() => setRevertCount(revertCount + 1)} />}
    </Dialog>
  )
}

function NoticeFields({ hasCircle, ...state }: SettingsState & { hasCircle: boolean }) {
  const { circle: _, ...others } = places
  const options = hasCircle || state.values.place === 'circle' ? places : others
  return (
    <>
      <TextSetting name="text" label="お知らせの文" most={MAX_TEXT} kind="text" required {...state} />
      <SelectSetting name="place" label="表示するページ" options={options} {...state} />
      <CheckboxSetting
        name="important"
        label="重要なお知らせとして、いちばん上に枠つきで表示する"
        words={['重要', '重要ではない']}
        {...state}
      />
      <fieldset className={styles.times}>
        <legend>表示する期間（任意・日本時間）</legend>
        <TextSetting name="shownFrom" label="表示の始まり" kind="datetime-local" {...state} />
        <TextSetting name="shownUntil" label="表示の終わり" kind="datetime-local" {...state} />
        <p>始まりが空欄ならすぐに表示し、終わりが空欄なら、削除するまで表示します。</p>
      </fieldset>
      <TextSetting
        name="link"
        label="リンク（任意）"
        most={2000}
        hint="「くわしくはこちら」の行き先です。https:// で始まるアドレスか、/calendar のようなこのサイトのページ。"
        {...state}
      />
    </>
  )
}
