import { tabDrafts } from '../forms/drafts.ts'
import { formAction } from '../forms/form-action.server.ts'
import { runOnce, submissionKeyOf } from '../forms/idempotency.server.ts'
import { InputField } from '../forms/input-field.tsx'
import { checkFields, parseFields } from '../forms/read-fields.ts'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import { looksLikeSpam, SpamTrap, spamTrapFields } from '../forms/spam-trap.tsx'
import { UnsavedChangesPrompt } from '../forms/unsaved-changes-prompt.tsx'
import { useDraft } from '../forms/use-draft.ts'
import { useSave } from '../forms/use-save.ts'
import { langOf, t } from '../languages/language.ts'
import { words } from '../languages/words.tsx'
import { LiveUpdates } from '../live/live-updates.tsx'
import { PageHead } from '../pages/page-head.tsx'
import { openPage } from '../pages/pages.server.ts'
import { contextOf } from '../request.ts'
import { readSite } from '../settings/site.server.ts'
import { translateSite } from '../translations/site-texts.server.ts'
import { LinkButton } from '../ui/button.tsx'
import { maxCodeUnits } from '../ui/characters.ts'
import { Field } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import page from '../ui/page.module.css'
import { SubmitButton } from '../ui/submit-button.tsx'
import { Telephones } from '../ui/telephones.tsx'
import type { Route } from './+types/mail-page.ts'
import styles from './mail.module.css'
import { MAX_SUBJECT, MAX_TEXT, MailMessage, sentences } from './message.ts'
import { listRecipients, receiveMessage } from './messages.server.ts'

export async function loader({ context, url }: Route.LoaderArgs) {
  const about = await openPage(context, 'mail')
  const recipients = listRecipients(await translateSite(context, await readSite(contextOf(context).db)))
  const requested = recipients.find(({ key }) => key === url.searchParams.get('to'))
  const [only, ...others] = recipients
  return {
    about,
    recipients,
    sent: url.searchParams.has('sent'),
    to: requested?.key ?? (others.length === 0 ? only?.key : undefined) ?? '',
    from: contextOf(context).visitor?.email ?? '',
    shownAt: contextOf(context).clock(),
  }
}

const messageFields = Object.keys(MailMessage.shape)

export const action = formAction(
  {
    fields: [...messageFields, ...spamTrapFields, 'once'],
    repeats: messageFields,
    failure: sentences.failed,
  },
  async (submission) => {
    const { context, db, clock, form, auth, mailOrigin: origin } = submission
    await openPage(context, 'mail')
    const message = parseFields(MailMessage, form)
    const now = clock()
    const arrival = { address: auth.address, spam: looksLikeSpam(form, now), origin, now }
    // The owner is not the account, because its session may end before a repeated submission.
    const key = { ...submissionKeyOf(submission, 'mail'), owner: 'mail form' }
    await runOnce(db, key, (trx) => receiveMessage(trx, message, arrival))
    return { to: '/mail?sent' }
  },
)

export const handle = { cache: 'browser', translations: 'program', unlisted: true }

export default function MailPage({ loaderData, matches }: Route.ComponentProps) {
  const { telephone } = matches[0].loaderData.site
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <LiveUpdates topics={['site']} />
      <PageHead page={{ ...loaderData.about, introduction: '' }} />
      {loaderData.sent ? (
        <SentNotice />
      ) : (
        <>
          <p className={styles.lead}>
            <span>{words(loaderData.about.introduction || t('お気軽にお書きください。'))}</span>
            {telephone && (
              <>
                {t('お急ぎのときは、お電話（')}
                <Telephones text={telephone} />
                {t('）でお願いいたします。')}
              </>
            )}
          </p>
          <MailForm {...loaderData} />
        </>
      )}
    </div>
  )
}

function SentNotice() {
  return (
    <>
      <Notice kind="done">
        <p>{t(sentences.sent)}</p>
        <p>{t('お問い合わせありがとうございます。返信先をご記入の方には、追ってお返事いたします。')}</p>
      </Notice>
      <p className={page.actions}>
        <LinkButton to="/">{t('ホームへ')}</LinkButton>
        <LinkButton to="/mail">{t('もう一通書く')}</LinkButton>
      </p>
    </>
  )
}

type FormProps = Pick<Route.ComponentProps['loaderData'], 'recipients' | 'to' | 'from' | 'shownAt'>

function MailForm({ recipients, to, from, shownAt }: FormProps) {
  const save = useSave({ check: checkFields(MailMessage) })
  const { errors } = save
  const draft = useDraft({ name: 'mail', start: { to, from }, save, store: tabDrafts })
  const start: Record<string, string> = { to, from, ...draft.restored?.values, ...save.answer?.values }
  const state = { values: start, errors }
  return (
    <SaveForm save={save} draft={draft} className={styles.form} once="">
      <UnsavedChangesPrompt
        asks={draft.isLost && save.answer?.to === undefined}
        sentence={t('入力した内容はまだ送信されていません。この画面を離れますか？')}
        confirm={t('離れる')}
      />
      <div key={draft.restored?.at}>
        {recipients.length === 1 ? (
          <input type="hidden" name="to" value={to} />
        ) : (
          <Field label={t('宛先')} required errors={errors?.to}>
            {(wiring) => (
              <select {...wiring} name="to" defaultValue={start.to}>
                <option value="">{t('選んでください')}</option>
                {recipients.map(({ key, name }) => (
                  <option key={key} value={key} lang={langOf(name)}>
                    {name}
                  </option>
                ))}
              </select>
            )}
          </Field>
        )}
        <InputField label={t('件名')} name="subject" required maxLength={maxCodeUnits(MAX_SUBJECT)} {...state} />
        <Field label={t('本文')} required hint={t('{count}文字まで', { count: MAX_TEXT })} errors={errors?.text}>
          {(wiring) => <textarea {...wiring} name="text" defaultValue={start.text} rows={9} />}
        </Field>
        <InputField
          label={t('返信先のメールアドレス（任意）')}
          hint={t('お返事が必要な方はご記入ください。お返事以外には使いません。')}
          type="email"
          name="from"
          autoComplete="email"
          {...state}
        />
      </div>
      <SpamTrap shownAt={shownAt} restoredAt={draft.restored?.at} />
      <SubmitButton busy={save.busy}>{t('送信する')}</SubmitButton>
      <Outcome save={save} />
    </SaveForm>
  )
}
