import { type FormEvent, useState } from 'react'
import { assertAllowed } from '../forms/assert-allowed.ts'
import type { Values } from '../forms/drafts.ts'
import { formAction } from '../forms/form-action.server.ts'
import { denied } from '../forms/outcome.ts'
import { parseValues } from '../forms/read-fields.ts'
import { undoOf } from '../forms/save-result.ts'
import { NewerValue, SettingsForm, type SettingsResult, type SettingsState } from '../forms/settings-form.tsx'
import { UnsavedChangesPrompt } from '../forms/unsaved-changes-prompt.tsx'
import { LiveUpdates } from '../live/live-updates.tsx'
import { readHistory } from '../records/history.server.ts'
import { HistoryPanel } from '../records/history-panel.tsx'
import { saveSettings, settingsReply } from '../records/settings-record.server.ts'
import { contextOf } from '../request.ts'
import { isLong, sourceOf, type Translations } from '../translations/translation.ts'
import { translationsTitle } from '../translations/translation-links.tsx'
import { topicOfTranslations, translationRecord, translationsOf } from '../translations/translation-record.server.ts'
import { readTranslations } from '../translations/translations.server.ts'
import { LinkButton } from '../ui/button.tsx'
import { maxCodeUnits } from '../ui/characters.ts'
import { Field } from '../ui/field.tsx'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import type { Route } from './+types/translation-group-page.ts'
import { openGroup, readTexts, type TranslatedText } from './translation-groups.server.ts'
import styles from './translations.module.css'

export async function loader({ context, params, url }: Route.LoaderArgs) {
  const { language, group } = await openGroup(context, params, assertAllowed)
  const stored = await readTranslations(contextOf(context).db, language.code, group.name)
  const { version, records } = await readTexts({ language, group, stored })
  const { id } = translationsOf(language.code, group.name)
  return {
    label: group.label,
    topic: topicOfTranslations(group.name),
    version,
    records,
    values: Object.fromEntries(records.flatMap(({ texts }) => texts.map(({ key, text }) => [key, text]))),
    history: await readHistory(context, { subject: translationRecord.subject, id, url }),
  }
}

export const action = formAction<SettingsResult>(
  { fields: ['version'], pattern: /^[\w-]+\../, intentOf: () => 'save' },
  async ({ db, visitor, context, params, form, seen, author }) => {
    const { language, group } = await openGroup(context, params, (refusal) => denied(visitor, refusal))
    const stored = await readTranslations(db, language.code, group.name)
    const { records, schema } = await readTexts({ language, group, stored })
    const typed = parseValues(schema, Object.fromEntries(form))
    const texts = records.flatMap(({ texts }) => texts)
    const changesOf = (base: Translations, now: Translations) =>
      Object.fromEntries(
        texts.flatMap(({ key, japanese }) => {
          const text = typed[key]
          if (text === undefined) return []
          const { [sourceOf(key)]: source = japanese } = typed
          const isChanged = text !== (base[key]?.text ?? '') || (sourceOf(key) in typed && base[key]?.source !== source)
          const isStored = text === (now[key]?.text ?? '') && (text === '' || now[key]?.source === source)
          return isChanged && !isStored ? [[key, { text, source, at: author.at }]] : []
        }),
      )
    const saved = await saveSettings(
      db,
      translationsOf(language.code, group.name),
      { ...seen, facts: changesOf },
      author,
    )
    return settingsReply(
      saved,
      (translations) => ({
        ...(typed as Values),
        ...Object.fromEntries(texts.map(({ key }) => [key, translations[key]?.text ?? ''])),
      }),
      (save) => ({ done: '保存しました。', undo: undoOf(save) }),
    )
  },
)

export const handle = {
  cache: 'none',
  title: ({ label }: Route.ComponentProps['loaderData']) => `英語の文章：${label}`,
}

export default function TranslationGroupPage({ loaderData, params }: Route.ComponentProps) {
  const { label, topic } = loaderData
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <LiveUpdates topics={['site', topic]} />
      <PageTitle title={label} english="Translations">
        <LinkButton to="/translations">{translationsTitle(params.language)}</LinkButton>
      </PageTitle>
      <Editor key={`${params.language} ${params.group}`} {...params} {...loaderData} />
    </div>
  )
}

type EditorProps = Route.ComponentProps['loaderData'] & Route.ComponentProps['params']

function Editor({ language, group, version, values, records, history }: EditorProps) {
  const [hasInput, setHasInput] = useState(false)
  /** Number of reverts, used as the React key of the form, so that a revert discards unsaved input. */
  const [revertCount, setRevertCount] = useState(0)
  if (records.length === 0) return <p>日本語の文章が、まだありません。</p>
  return (
    <>
      <p>空欄のところは、日本語のまま表示します。</p>
      <div className={styles.editor}>
        <SettingsForm
          key={revertCount}
          version={version}
          values={values}
          draftName={`translations ${language} ${group}`}
          isPutBack={revertCount > 0}
          onTyped={setHasInput}
        >
          {(state) =>
            records.map(({ id, name, texts }) => (
              <section key={id} id={id} className={styles.record} aria-labelledby={`${id}-name`}>
                <h2 id={`${id}-name`}>{name}</h2>
                {texts.map((text) => (
                  <TextField key={text.key} language={language} text={text} {...state} />
                ))}
              </section>
            ))
          }
        </SettingsForm>
      </div>
      <UnsavedChangesPrompt
        asks={hasInput}
        anyQuery
        sentence="入力した文章はまだ保存されていません。このページを離れますか？"
        confirm="離れる"
      >
        <p>入力した文章はこのブラウザに残り、次にこのページを開いたときに続きを入力できます。</p>
      </UnsavedChangesPrompt>
      <HistoryPanel history={history} onPutBack={() => setRevertCount(revertCount + 1)} />
    </>
  )
}

function TextField({ language, text, ...state }: SettingsState & { language: string; text: TranslatedText }) {
  const { key, label, japanese, most, standard } = text
  // The Japanese text at the first input. A later change must not count as translated.
  const [source, setSource] = useState(state.values[key] === text.text ? undefined : state.values[sourceOf(key)])
  const before = source === undefined || source === japanese ? text.before : source
  const attributes = {
    name: key,
    lang: language,
    maxLength: maxCodeUnits(most),
    defaultValue: state.values[key],
    placeholder: standard,
    autoComplete: 'off',
    onInput: ({ currentTarget }: FormEvent<HTMLInputElement | HTMLTextAreaElement>) =>
      setSource(currentTarget.value === text.text ? undefined : (source ?? japanese)),
  }
  return (
    <div className={styles.text}>
      <Field label={label} hint={<Original {...{ japanese, before }} />} errors={state.errors?.[key]}>
        {(wiring) =>
          isLong(most) ? (
            <textarea {...wiring} {...attributes} rows={Math.min(12, 2 + Math.ceil(japanese.length / 24))} />
          ) : (
            <input {...wiring} {...attributes} />
          )
        }
      </Field>
      {before !== undefined && (
        <label className={styles.confirmed}>
          <input type="checkbox" name={sourceOf(key)} value={japanese} />
          このままでよい
        </label>
      )}
      {source !== undefined && <textarea name={sourceOf(key)} value={source} readOnly hidden />}
      <NewerValue name={key} newer={state.newer} />
    </div>
  )
}

function Original({ japanese, before }: Pick<TranslatedText, 'japanese'> & { before: string | undefined }) {
  if (before === undefined) return <span lang="ja">{japanese}</span>
  return (
    <>
      <span className={styles.stale}>日本語のあとに変わっていません</span>
      <b>翻訳したときの日本語</b>
      <del lang="ja">{before}</del>
      <b>現在の日本語</b>
      <span lang="ja">{japanese}</span>
    </>
  )
}
