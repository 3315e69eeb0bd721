import { useState } from 'react'
import { Link } from 'react-router'
import { guestPath, MAX_NAME, MAX_TELEPHONE, MAX_WISH, TableRequest } from '../bookings/booking.ts'
import { TABLE_PATH } from '../bookings/table-path.ts'
import { tabDrafts } from '../forms/drafts.ts'
import { formAction } from '../forms/form-action.server.ts'
import { InputField } from '../forms/input-field.tsx'
import { Rejection } from '../forms/outcome.ts'
import { checkFields, parseFields } from '../forms/read-fields.ts'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import { looksLikeSpam, SpamTrap, spamTrapFields } from '../forms/spam-trap.tsx'
import { UnsavedChangesPrompt } from '../forms/unsaved-changes-prompt.tsx'
import { useDraft } from '../forms/use-draft.ts'
import { useSave } from '../forms/use-save.ts'
import { isJapanese, languageCode, t } from '../languages/language.ts'
import { LiveUpdates } from '../live/live-updates.tsx'
import { UUID } from '../records/record.ts'
import { contextOf } from '../request.ts'
import { maxCodeUnits } from '../ui/characters.ts'
import { Field } from '../ui/field.tsx'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import type { Route } from './+types/ask-page.ts'
import styles from './table.module.css'
import { readTableChoice, requireTableRequests } from './table-choice.server.ts'
import { DayForm, hasFreeTime, TimeFields } from './table-choice.tsx'
import { askForTable } from './table-requests.server.ts'

export async function loader({ context, url }: Route.LoaderArgs) {
  const site = await requireTableRequests(context)
  return {
    about: {
      path: TABLE_PATH,
      title: t('お席のお申し込み'),
      description: t('日にち、人数、お時間を選んで、お席をお申し込みいただけます。お店からのお返事で確定します。'),
    },
    choice: await readTableChoice(context, site, url.searchParams),
    retentionDays: site.tableRetentionDays,
    email: contextOf(context).visitor?.email ?? '',
    sendsMail: contextOf(context).mailer.verifies,
    id: crypto.randomUUID(),
    shownAt: contextOf(context).clock(),
  }
}

const requestFields = Object.keys(TableRequest.shape)
const FAILED = 'お席のお申し込みに失敗しました。'

export const action = formAction(
  { fields: [...requestFields, ...spamTrapFields, 'id'], repeats: requestFields, failure: FAILED },
  async ({ context, db, clock, form, field, auth, author }) => {
    await requireTableRequests(context)
    const request = parseFields(TableRequest, form)
    const id = field('id')
    if (!UUID.test(id) || looksLikeSpam(form, clock())) throw new Rejection(LOOKS_LIKE_SPAM, 400)
    const result = await askForTable(
      db,
      { ...request, id, language: isJapanese() ? '' : languageCode() },
      { address: auth.address, now: clock(), author },
    )
    return { to: result === 'asked' ? guestPath(id) : `${guestPath(id)}?earlier` }
  },
)

const LOOKS_LIKE_SPAM = 'お申し込みを受け付けられませんでした。少し待ってから、もう一度お試しください。'

export const handle = { cache: 'none', translations: 'program', inSitemap: true, hasShortForms: true }

export default function AskPage({ loaderData }: Route.ComponentProps) {
  const { about, choice, retentionDays } = loaderData
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <LiveUpdates topics={['site', 'hours', 'specialDays', 'bookings']} />
      <PageTitle title={about.title} english={isJapanese() ? 'Table' : ''} />
      <p className={styles.lead}>
        <strong>{t('お申し込みは、お店からのお返事で確定します。')}</strong>
        {t('お返事は、お申し込みのあとに開くページでお知らせします。')}
      </p>
      <DayForm choice={choice} />
      {/* The form stays mounted, so that a day without free times does not remove the typed text. */}
      <div hidden={!hasFreeTime(choice.times)}>
        <RequestForm {...loaderData} />
        <p className={styles.note}>
          {t('ご記入の内容は、このお申し込みのためだけに使い、ご来店の日から{count}日たつと削除します。', {
            count: retentionDays,
          })}{' '}
          <Link to="/privacy">{t('プライバシーについて')}</Link>
        </p>
      </div>
    </div>
  )
}

function RequestForm({ choice, email, sendsMail, id, shownAt }: Route.ComponentProps['loaderData']) {
  const save = useSave({ check: checkFields(TableRequest), failure: FAILED })
  const { errors } = save
  const draft = useDraft({ name: 'table', start: { email }, save, store: tabDrafts })
  const start: Record<string, string> = { email, ...draft.restored?.values, ...save.answer?.values }
  // A revalidation has another ID, but a repeated submission must have the same ID.
  const [firstId] = useState(id)
  const state = { values: start, errors }
  return (
    <SaveForm save={save} draft={draft} className={styles.form} hiddenFields={{ id: firstId }}>
      <UnsavedChangesPrompt
        anyQuery
        asks={draft.isLost && save.answer?.to === undefined}
        sentence={t('入力した内容はまだ送信されていません。この画面を離れますか？')}
        confirm={t('離れる')}
      />
      <div key={draft.restored?.at}>
        <TimeFields choice={choice} save={save} time={start.time} />
        <InputField
          label={t('お名前')}
          name="name"
          required
          maxLength={maxCodeUnits(MAX_NAME)}
          autoComplete="name"
          {...state}
        />
        <InputField
          label={t('電話番号')}
          hint={t('電話番号かメールアドレスの、どちらかをご記入ください。')}
          type="tel"
          name="telephone"
          maxLength={maxCodeUnits(MAX_TELEPHONE)}
          autoComplete="tel"
          {...state}
        />
        <InputField
          label={t('メールアドレス')}
          hint={sendsMail && t('ご記入の方には、お返事をメールでもお送りします。')}
          type="email"
          name="email"
          autoComplete="email"
          {...state}
        />
        <Field
          label={t('ご要望（任意）')}
          hint={t('アレルギー、お子さま連れなど、{count}文字まで', { count: MAX_WISH })}
          errors={errors?.wish}
        >
          {(wiring) => <textarea {...wiring} name="wish" defaultValue={start.wish} rows={4} />}
        </Field>
      </div>
      <SpamTrap shownAt={shownAt} restoredAt={draft.restored?.at} />
      <SubmitButton busy={save.busy}>{t('お席を申し込む')}</SubmitButton>
      <Outcome save={save} />
    </SaveForm>
  )
}
