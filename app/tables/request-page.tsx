import type { ReactNode } from 'react'
import { data } from 'react-router'
import {
  type Booking,
  type bookingStates,
  guestPath,
  hasPassed,
  TableWish,
  takesSeats,
  timeOfBooking,
} from '../bookings/booking.ts'
import { readBooking } from '../bookings/bookings.server.ts'
import { TABLE_PATH } from '../bookings/table-path.ts'
import { formAction } from '../forms/form-action.server.ts'
import { Rejection, unwrap } from '../forms/outcome.ts'
import { checkFields, parseFields } from '../forms/read-fields.ts'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import { SAVE_FAILED } from '../forms/save-result.ts'
import { type Saving, useSave } from '../forms/use-save.ts'
import { isJapanese, t } from '../languages/language.ts'
import { words } from '../languages/words.tsx'
import { LiveUpdates } from '../live/live-updates.tsx'
import { contextOf, type RequestContext } from '../request.ts'
import button from '../ui/button.module.css'
import { LinkButton } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import { useEveryMinute } from '../ui/use-time.ts'
import type { Route } from './+types/request-page.ts'
import styles from './table.module.css'
import { readTableChoice, requireTableRequests } from './table-choice.server.ts'
import { DayForm, hasFreeTime, PleaseCall, TimeFields, useRevalidationAfterChange } from './table-choice.tsx'
import { answerOffer, changeRequest } from './table-requests.server.ts'
import { CHANGED, formatParty, formatTableDay } from './table-words.ts'

// Those who know the random ID may see and change the request, but not the bookings that the staff entered.
async function readRequest(context: RequestContext, id: string): Promise<Booking> {
  const booking = await readBooking(contextOf(context).db, id)
  if (!booking || booking.byStaff) throw data(null, 404)
  return booking
}

export async function loader({ context, params, url }: Route.LoaderArgs) {
  const site = await requireTableRequests(context)
  const booking = await readRequest(context, params.id)
  const { id, state, day, time, offeredDay, offeredTime, party, name, wish, reply, version, askedAt, givenUpAt } =
    booking
  return {
    request: { id, state, day, time, offeredDay, offeredTime, party, name, wish, reply, version, askedAt },
    contact: maskedContact(booking),
    isGivenUp: givenUpAt !== null,
    choice: await readTableChoice(context, site, url.searchParams, booking),
    isChanging: url.searchParams.has('day'),
    isEarlier: url.searchParams.has('earlier'),
    asOf: contextOf(context).clock(),
  }
}

// Others may see the page on the guest's device.
function maskedContact({ telephone, email }: Booking) {
  return [telephone && `••••${telephone.slice(-4)}`, email.replace(/(?<=^.).*(?=@)/, '•••')].filter(Boolean)
}

export const action = formAction(
  { fields: ['intent', 'version', ...Object.keys(TableWish.shape)], repeats: ['time'] },
  async ({ context, params: { id = '' }, db, clock, form, intent, seen, author }) => {
    await requireTableRequests(context)
    await readRequest(context, id)
    const [ref, arrival] = [
      { id, ...seen },
      { now: clock(), author },
    ]
    const isAnswer = intent === 'accept' || intent === 'cancel'
    if (!isAnswer && intent !== 'change') throw new Rejection(SAVE_FAILED, 400)
    const changed = isAnswer
      ? await answerOffer(db, ref, intent, arrival)
      : await changeRequest(db, ref, parseFields(TableWish, form), arrival)
    unwrap(changed, { conflict: CHANGED })
    return { to: guestPath(id) }
  },
)

export const handle = {
  cache: 'none',
  translations: 'program',
  hasShortForms: true,
  title: () => t('お席のお申し込み'),
}

type Props = Route.ComponentProps['loaderData']

export default function RequestPage({ loaderData }: Route.ComponentProps) {
  const { request, contact, isGivenUp, isEarlier, asOf } = loaderData
  const { state, day, time, party, name, wish, reply } = request
  const isPast = hasPassed(request, useEveryMinute(asOf))
  const isOpen = takesSeats(request) && !isPast
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <LiveUpdates topics={['bookings', 'site', 'hours', 'specialDays']} />
      <PageTitle title={t('お席のお申し込み')} english={isJapanese() ? 'Table' : ''} />
      <div role="status" className={styles.state} data-state={state}>
        <h2>{isPast ? t('お席のお時間を過ぎました') : t(stateTitles[state])}</h2>
        {!isPast && (
          <p>
            {state === 'asked' && isGivenUp ? (
              <>
                {t('お返事が遅れており、申し訳ございません。')}
                <PleaseCall />
              </>
            ) : (
              t(stateSentences[state])
            )}
          </p>
        )}
        {reply && (
          <p className={styles.reply}>
            <span>{t('お店からのお返事')}</span>
            {words(reply)}
          </p>
        )}
      </div>
      {isOpen && isEarlier && (
        <Notice kind="trouble">
          {t(
            '通信が切れる前に送った内容で、お申し込みを承っています。そのあとに変えた内容は届いていません。日時と人数は、このページで変更できます。',
          )}
        </Notice>
      )}
      {isOpen && state === 'offered' && <OfferForm request={request} />}
      <dl className={styles.facts}>
        <Fact name={t(state === 'offered' ? 'ご希望の日時' : '日時')}>{formatTableDay(day, time)}</Fact>
        <Fact name={t('人数')}>{formatParty(party)}</Fact>
        <Fact name={t('お名前')}>{words(name)}</Fact>
        {contact.length > 0 && <Fact name={t('ご連絡先')}>{contact.join(t('、'))}</Fact>}
        {wish && <Fact name={t('ご要望')}>{words(wish)}</Fact>}
      </dl>
      {isOpen && (
        <>
          <p className={styles.note}>
            {t('このページで、お返事の確認、変更、取り消しができます。ブックマークなどで保存してください。')}
          </p>
          {/* After a change, the form is closed, and the focus moves out of the removed form. */}
          <ChangeForm key={request.askedAt} {...loaderData} />
          <CancelForm request={request} />
        </>
      )}
      {!isOpen && (
        <p className={page.actions}>
          <LinkButton to={TABLE_PATH}>{t('別のお席を申し込む')}</LinkButton>
        </p>
      )}
    </div>
  )
}

const stateTitles = {
  asked: 'お店からのお返事をお待ちください',
  offered: 'お店から、別のお時間のご案内です',
  accepted: 'お席をご用意いたします',
  declined: '申し訳ございません。お席をご用意できません',
  cancelled: 'このお申し込みは取り消されました',
} satisfies typeof bookingStates

const stateSentences = {
  asked: 'お申し込みを受け付けました。まだ確定ではありません。お店からのお返事で確定します。',
  offered: 'ご希望のお時間はご用意できませんが、次のお時間はいかがでしょうか。まだ確定ではありません。',
  accepted: 'お申し込みの内容で確定しました。ご来店をお待ちしております。',
  declined: 'またの機会に、お待ちしております。',
  cancelled: 'お席は確保されていません。',
} satisfies typeof bookingStates

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function OfferForm({ request }: Pick<Props, 'request'>) {
  const save = useSave({ intents: ['accept'] })
  useRevalidationAfterChange(save)
  const { day, time } = timeOfBooking(request)
  return (
    <SaveForm save={save} className={styles.offer} hiddenFields={{ intent: 'accept', version: request.version }}>
      <p className={styles.time}>{formatTableDay(day, time)}</p>
      <SubmitButton busy={save.busy}>{t('このお時間でお願いする')}</SubmitButton>
      <Outcome save={save} />
    </SaveForm>
  )
}

function ChangeForm({ request, choice, isChanging }: Props) {
  const save = useSave({ intents: ['change'], check: checkFields(TableWish) })
  return (
    <details className={styles.answer} open={isChanging || hasFailed(save)}>
      <summary className={button.button}>{t('日時や人数を変更する')}</summary>
      <p className={styles.lead}>{t('変更すると、もう一度お店からのお返事をお待ちいただきます。')}</p>
      <DayForm choice={choice} />
      <div hidden={!hasFreeTime(choice.times)}>
        <SaveForm save={save} className={styles.form} hiddenFields={{ intent: 'change', version: request.version }}>
          <TimeFields choice={choice} save={save} time={save.answer?.values?.time ?? request.time} />
          <SubmitButton busy={save.busy}>{t('この内容に変更する')}</SubmitButton>
          <Outcome save={save} />
        </SaveForm>
      </div>
    </details>
  )
}

// Without scripts, the page with the error message is another document.
function hasFailed({ answer }: Saving) {
  return Boolean(answer?.trouble ?? answer?.errors)
}

function CancelForm({ request }: Pick<Props, 'request'>) {
  const save = useSave({ intents: ['cancel'] })
  useRevalidationAfterChange(save)
  return (
    <details className={styles.answer} open={hasFailed(save)}>
      <summary className={button.button}>
        {t(request.state === 'offered' ? '見送って、お申し込みを取り消す' : 'お申し込みを取り消す')}
      </summary>
      <SaveForm save={save} hiddenFields={{ intent: 'cancel', version: request.version }}>
        <p className={styles.lead}>{t('本当に取り消しますか。取り消すと、元に戻せません。')}</p>
        <SubmitButton busy={save.busy}>{t('取り消す')}</SubmitButton>
        <Outcome save={save} />
      </SaveForm>
    </details>
  )
}
