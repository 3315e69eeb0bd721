import { useState } from 'react'
import { data } from 'react-router'
import { timeInJapan } from '../dates/japan.ts'
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
import { UUID } from '../records/record.ts'
import { settingsReply } from '../records/settings-record.server.ts'
import { contextOf } from '../request.ts'
import { periodFields } from '../sections/display-rules.ts'
import {
  MAX_INTRODUCTION,
  MAX_NAME,
  SectionForm,
  sectionFieldNames,
  sectionFormValues,
  servedLabels,
} from '../sections/section.ts'
import { deleteSection, emptySection, readSection, SECTION_MISSING, saveSection } from '../sections/sections.server.ts'
import { whyHidden } from '../sections/shown.ts'
import { readSite } from '../settings/site.server.ts'
import { TranslationLinks } from '../translations/translation-links.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { useReturnLink } from '../ui/use-return-link.ts'
import type { Route } from './+types/section-page.ts'
import styles from './section-page.module.css'

export async function loader({ context, params: { id }, url }: Route.LoaderArgs) {
  const { db, visitor, clock } = contextOf(context)
  assertAllowed(refusalOfCalendar(visitor, await readSite(db)))
  if (id === undefined)
    // The ID of a new section makes a repeated submission add the section only once.
    return { id: crypto.randomUUID(), version: 0, values: sectionFormValues(emptySection), hidden: '', history: null }
  const section = await readSection(db, id)
  if (!section) throw data(null, 404)
  const history = await readHistory(context, { subject: 'menuSection', id, url })
  const hidden = whyHidden(section, timeInJapan(clock()))
  return { id, version: section.version, values: sectionFormValues(section), hidden, history }
}

export const action = formAction<SettingsResult>(
  {
    fields: ['intent', 'id', 'version', ...sectionFieldNames],
    intentOf: (field) => (field('intent') === 'delete' ? 'delete' : 'save'),
    refusal: refusalOfCalendar,
  },
  async ({ db, form, field, params, intent, seen, author }) => {
    const id = params.id ?? field('id')
    if (intent === 'delete') {
      const undo = unwrap(await deleteSection(db, { id, ...seen }, author), { missing: SECTION_MISSING })
      return { done: '分類を削除しました。', undo: undoOf(undo), to: '/dining' }
    }
    if (!UUID.test(id) || (params.id !== undefined && !(await readSection(db, id))))
      throw new Rejection(SECTION_MISSING, 404)
    const facts = parseValues(SectionForm, Object.fromEntries(form))
    const saved = await saveSection(db, id, { ...seen, facts }, author)
    const done = params.id === undefined ? '分類を追加しました。' : '保存しました。'
    const to = `/dining#section-${id}`
    // A repeated submission of a new section changes nothing, because the first response was lost.
    if (params.id === undefined && saved.ok === null) return { done, to }
    return settingsReply(saved, sectionFormValues, (save) => ({ done, undo: undoOf(save), to }))
  },
)

export const handle = { cache: 'none', title: 'お品書きの分類' }

export default function SectionPage({ loaderData, params }: Route.ComponentProps) {
  const { version, values, hidden, history } = loaderData
  // Each load creates another ID for a new section.
  const [newId] = useState(loaderData.id)
  /** Number of reverts, used as the React key of the form, so that a revert discards unsaved input. */
  const [revertCount, setRevertCount] = useState(0)
  const close = useReturnLink('/dining')
  const warning = hidden && (
    <p>{`この分類は現在、お客さまに表示していません（${hidden}）。削除すると、中の料理は、すぐにお客さまに表示されます。`}</p>
  )
  return (
    <Dialog title={version === 0 ? '分類の追加' : '分類の編集'} onClose={close} sheet>
      <SettingsForm
        key={revertCount}
        version={version}
        values={values}
        draftName={`section ${params.id ?? 'new'}`}
        isPutBack={revertCount > 0}
        replaces
        button={version === 0 ? '追加する' : '保存する'}
      >
        {(state) => (
          <>
            <input type="hidden" name="id" value={params.id ?? newId} />
            <SectionFields {...state} />
          </>
        )}
      </SettingsForm>
      {version > 0 && <TranslationLinks group="dining" id={params.id ?? newId} />}
      {version > 0 && (
        <div className={styles.delete}>
          <DeleteRecord label="この分類を削除する" name={values.name ?? ''} version={version}>
            <p>中の料理は消えません。分類のない料理として、お品書きの初めに並びます。</p>
            {warning}
          </DeleteRecord>
          {warning}
        </div>
      )}
      {history && <HistoryPanel history={history} onPutBack={() => setRevertCount(revertCount + 1)} />}
    </Dialog>
  )
}

function SectionFields(state: SettingsState) {
  const { values, errors, newer } = state
  const [served, setServed] = useState(values.served)
  return (
    <>
      <TextSetting name="name" label="分類の名前" most={MAX_NAME} hint="（例）お飲みもの" required {...state} />
      <TextSetting name="introduction" label="紹介文（任意）" most={MAX_INTRODUCTION} kind="text" {...state} />
      <SelectSetting name="served" label="ご提供の時間" options={servedLabels} onSelect={setServed} {...state} />
      <div hidden={served !== 'own'} className={styles.times}>
        <TextSetting name="servedFrom" label="始まり" kind="time" {...state} />
        <TextSetting name="servedUntil" label="終わり" kind="time" {...state} />
      </div>
      <CheckboxSetting
        name="draft"
        label="下書きにする（編集できる方だけに表示）"
        words={['下書き', '公開']}
        {...state}
      />
      <details
        className={styles.period}
        open={periodFields.some((field) => values[field] || errors?.[field] || newer?.clashes.includes(field))}
      >
        <summary>表示する期間（任意）</summary>
        <TextSetting name="shownFrom" label="表示の始まり" kind="datetime-local" {...state} />
        <TextSetting name="shownUntil" label="表示の終わり" kind="datetime-local" {...state} />
      </details>
    </>
  )
}
