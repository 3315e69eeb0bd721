import { useEffect, useId, useState } from 'react'
import { Form, useNavigation, useRevalidator, useRouteLoaderData, useSubmit } from 'react-router'
import { formatDay } from '../dates/month.ts'
import type { Saving } from '../forms/use-save.ts'
import { t } from '../languages/language.ts'
import type { PublicSettings } from '../settings/site.ts'
import { Button } from '../ui/button.tsx'
import { Field, LabelText, namedOptions } from '../ui/field.tsx'
import { Telephones } from '../ui/telephones.tsx'
import styles from './table.module.css'
import type { TableChoice } from './table-choice.server.ts'
import { CHANGED, DAY_IS_FULL, formatParty, formatTableTime } from './table-words.ts'

/** Asks the guest to telephone. Without a number in the settings, refers to the page about the shop. */
export function PleaseCall() {
  const root = useRouteLoaderData('root') as { site: PublicSettings } | undefined
  const telephone = root?.site.telephone
  if (!telephone) return t('お手数ですが、店舗案内の連絡先へお願いいたします。')
  return (
    <>
      {t('お手数ですが、お電話（')}
      <Telephones text={telephone} />
      {t('）でお願いいたします。')}
    </>
  )
}

type ChoiceProps = { choice: TableChoice }

/** Returns the chosen day and size of the party, even if their times are still loading. */
function useChosen({ day, party }: TableChoice) {
  const pending = useNavigation().formData
  return { day: String(pending?.get('day') ?? day), party: String(pending?.get('party') ?? party) }
}

/** The form for the day and the size of the party. With scripts, the times follow each change. */
export function DayForm({ choice }: ChoiceProps) {
  const { days, maxParty } = choice
  const submit = useSubmit()
  const chosen = useChosen(choice)
  if (days.length === 0)
    return (
      <p className={styles.lead}>
        {t('ただいま、サイトからお申し込みいただける日がありません。')}
        <PleaseCall />
      </p>
    )
  return (
    <>
      <Form
        replace
        preventScrollReset
        className={styles.day}
        onChange={({ currentTarget }) => submit(currentTarget, { replace: true, preventScrollReset: true })}
      >
        <Field label={t('日にち')} required>
          {(wiring) => (
            <select {...wiring} name="day" value={chosen.day} onChange={() => {}}>
              <option value="">{t('選んでください')}</option>
              {namedOptions(days.map((day) => [day, formatDay(day)]))}
            </select>
          )}
        </Field>
        <Field label={t('人数')} required>
          {(wiring) => (
            <select {...wiring} name="party" value={chosen.party} onChange={() => {}}>
              {namedOptions(Array.from({ length: maxParty }, (_, index) => [`${index + 1}`, formatParty(index + 1)]))}
              <option value={maxParty + 1}>{t('{count}名以上', { count: maxParty + 1 })}</option>
            </select>
          )}
        </Field>
        <Button type="submit">{t('お時間を表示する')}</Button>
      </Form>
      <p role="status" className={styles.lead}>
        <ChoiceStatus choice={choice} />
      </p>
    </>
  )
}

function ChoiceStatus({ choice: { day, party, maxParty, times, isDayGone } }: ChoiceProps) {
  if (party > maxParty)
    return (
      <>
        {t('{count}名以上のお席は、サイトからお申し込みいただけません。', { count: party })}
        <PleaseCall />
      </>
    )
  if (!day)
    return isDayGone
      ? t('その日はお申し込みいただけません。ほかの日をお選びください。')
      : t('日にちと人数をお選びください。')
  if (!hasFreeTime(times)) return t(DAY_IS_FULL)
  return t('{day}、{party}のお時間をお選びください。', { day: formatDay(day), party: formatParty(party) })
}

type TimesProps = { choice: TableChoice; save: Saving; time: string | undefined }

/** The times of the chosen day, and the day and size of the party as hidden fields. */
export function TimeFields({ choice, save, time }: TimesProps) {
  const id = useId()
  const { day, party } = useChosen(choice)
  const { errors } = save
  // Another day or party may not have the time, but the next choice may have it again.
  const [chosenTime, setChosenTime] = useState(time)
  useRevalidationAfterChange(save)
  const shownErrors = [errors?.day, errors?.party, errors?.time].flatMap((each) => each ?? [])
  return (
    <fieldset className={styles.times} aria-describedby={shownErrors.length > 0 ? id : undefined}>
      <legend>
        <LabelText label={t('お時間')} required />
      </legend>
      <input type="hidden" name="day" value={day} />
      <input type="hidden" name="party" value={party} />
      <div>
        {choice.times.map((each) => (
          <label key={each.time}>
            <input
              type="radio"
              name="time"
              value={each.time}
              required
              disabled={!each.isFree}
              defaultChecked={each.isFree && each.time === chosenTime}
              onChange={() => setChosenTime(each.time)}
              aria-invalid={shownErrors.length > 0 || undefined}
            />
            <span>{formatTableTime(each.time)}</span>
            {!each.isFree && <small>{t('満席')}</small>}
          </label>
        ))}
      </div>
      {shownErrors.length > 0 && (
        <p id={id} className={styles.error}>
          {shownErrors.map((error) => t(error)).join(' ')}
        </p>
      )}
    </fieldset>
  )
}

/** Revalidates the page if the response says that the request or the free times have changed. */
export function useRevalidationAfterChange({ answer }: Saving) {
  const { revalidate } = useRevalidator()
  useEffect(() => {
    if (answer?.trouble === CHANGED || answer?.errors?.time) revalidate()
  }, [answer])
}

export function hasFreeTime(times: TableChoice['times']) {
  return times.some(({ isFree }) => isFree)
}
