import { type MouseEvent, useState } from 'react'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import { SAVE_FAILED } from '../forms/save-result.ts'
import { useSave } from '../forms/use-save.ts'
import { announce } from '../ui/announce.ts'
import { LabelText } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import { type DayOfWeek, noSlots, type Schedule, scheduleRows, weekdays } from './business-day.ts'
import styles from './business-days-page.module.css'
import type { HoursResult, NewerWeek } from './business-days-result.ts'
import { ConfirmClosedDays, ConfirmHours, ConfirmStep, type StepProps, UnsavedHours } from './confirm-hours.tsx'
import { copyFields } from './copy-hours.ts'
import { rowFields } from './hour-fields.ts'
import fieldStyles from './hours-fields.module.css'
import { HoursFields, ONE_SLOT } from './hours-fields.tsx'
import { ClosedDaysFirst, type WeekFieldsProps, WeekGroups } from './week-groups.tsx'

type Props = {
  week: { version: number; schedule: Schedule | null }
  /** Whether to show nine rows instead of groups of days with the same hours. */
  byDay: boolean
  mayEdit: boolean
  mendsWords: boolean
}

export function WeekForm({ week, byDay, mayEdit, mendsWords }: Props) {
  const intent = byDay ? 'week' : 'groups'
  const save = useSave<HoursResult>({ intents: [intent], failure: SAVE_FAILED })
  const { answer, busy, errors } = save
  // The version of the form's initial values. The editor has not seen later saves.
  const [seenVersion] = useState(week.version)
  const newer = answer?.newer
  const step = { back: byDay ? '/bussinessdays?by=day' : '/bussinessdays', intent, save }
  const unreadable = mayEdit && week.version > 0 && !week.schedule
  return (
    <SaveForm save={save} validates>
      <UnsavedHours save={save} />
      <input type="hidden" name="version" value={newer?.version ?? answer?.values?.version ?? seenVersion} />
      {answer?.values?.beside && <input type="hidden" name="beside" value={answer.values.beside} />}
      {(answer?.beside || answer?.sure) && answer.values?.closedDays && (
        <input type="hidden" name="closedDays" value={answer.values.closedDays} />
      )}
      {unreadable && (
        <Notice kind="trouble">
          <p>読めないデータが1件あります。元のデータは、次に保存するまでそのまま残ります。</p>
          <label className={styles.check}>
            <input type="checkbox" name="overwriting" value="yes" required />
            <span>
              <LabelText label="読めないデータを、この内容で置き換えます" required />
            </span>
          </label>
        </Notice>
      )}
      <fieldset role="none" disabled={!mayEdit} className={styles.fields}>
        {byDay ? (
          <>
            <WeekRows schedule={week.schedule} values={answer?.values} errors={errors} newer={newer} />
            <ClosedDaysFirst schedule={week.schedule} values={answer?.values} />
            <p className={styles.hint}>
              {`${ONE_SLOT}祝日と祝前日は、「営業」のまま時間を入力しなければ、その曜日のとおりになります。`}
            </p>
          </>
        ) : (
          <>
            <WeekGroups schedule={week.schedule} values={answer?.values} errors={errors} />
            {Object.entries(newer?.rows ?? {}).map(([name, words]) => (
              <p key={name} className={styles.newer}>{`${name}の新しい内容：${words}`}</p>
            ))}
          </>
        )}
        {newer?.closedDaysFirst !== undefined && (
          <p className={styles.newer}>{`新しい内容：定休日を優先${newer.closedDaysFirst ? 'する' : 'しない'}`}</p>
        )}
        {answer?.openedDays && <ConfirmClosedDays {...step} days={answer.openedDays} />}
        {answer?.beside && <ConfirmHoursText {...step} beside={answer.beside} mendsWords={mendsWords} />}
        {answer?.sure && <ConfirmHours {...step} label="このまま保存する" />}
        {!answer?.openedDays && !answer?.beside && !answer?.sure && (
          <SubmitButton name="intent" value={intent} busy={busy}>
            {byDay ? (week.version === 0 ? 'スケジュールを登録する' : '編集する') : '保存する'}
          </SubmitButton>
        )}
        <Outcome save={save}>
          {newer &&
            'ほかの方が先に保存しました。違うところに「新しい内容」を示しています。見比べて、よろしければもう一度保存してください。'}
        </Outcome>
      </fieldset>
    </SaveForm>
  )
}

function WeekRows({ schedule, values, errors, newer }: WeekFieldsProps & { newer: NewerWeek | undefined }) {
  return (
    <table className={styles.week}>
      <caption className="visually-hidden">毎週の営業時間</caption>
      <thead>
        <tr>
          <th scope="col">曜日</th>
          <th scope="col">営業</th>
          <th scope="col">時間</th>
        </tr>
      </thead>
      <tbody>
        {scheduleRows.map((name, index) => (
          <tr key={name}>
            <th scope="row" data-mincho>
              {name}
            </th>
            <td>
              <select
                name={`${name}.open_or_close`}
                defaultValue={values?.[`${name}.open_or_close`] ?? (schedule?.[name].open === false ? 'close' : 'open')}
                aria-label={`${name}の営業`}
              >
                <option value="open">営業</option>
                <option value="close">定休日</option>
              </select>
            </td>
            <td>
              <HoursFields
                prefix={`${name}.`}
                of={name}
                slots={schedule?.[name].slots ?? noSlots}
                values={values}
                errors={errors}
              />
              <CopyButton name={name} above={scheduleRows[index - 1]} />
              {newer?.rows[name] && <p className={styles.newer}>{`新しい内容：${newer.rows[name]}`}</p>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function CopyButton({ name, above }: { name: DayOfWeek; above: DayOfWeek | undefined }) {
  const copy = ({ currentTarget: { form } }: MouseEvent<HTMLButtonElement>) => {
    if (!form) return
    const otherDays = weekdays.filter((each) => each !== name)
    for (const target of above ? [name] : otherDays) copyFields(form, `${above ?? name}.`, `${target}.`, rowFields)
    announce(above ? `${name}を${above}と同じにしました。` : `${name}をすべての曜日にコピーしました。`)
  }
  return (
    <div className={styles.copy}>
      <button
        type="button"
        className={fieldStyles.small}
        onClick={copy}
        aria-label={above ? `${name}を上の日と同じにする` : `${name}をすべての曜日にコピーする`}
      >
        {above ? '上の日と同じにする' : 'すべての曜日にコピーする'}
      </button>
    </div>
  )
}

function ConfirmHoursText({ beside, mendsWords, ...step }: StepProps & { beside: string; mendsWords: boolean }) {
  const mend = { name: 'beside', value: 'mend', label: '保存して、文章を編集する' }
  const stays = { name: 'beside', value: 'stays', label: 'このまま保存する' }
  return (
    <ConfirmStep {...step} buttons={mendsWords ? [mend, stays] : [stays]}>
      <p>店舗案内では、時間の表の下に次の文章も表示しています。新しい営業時間に合っていますか？</p>
      <blockquote className={styles.beside}>{beside}</blockquote>
      {!mendsWords && <p>合わないところがあるときは、保存してから管理者にお知らせください。</p>}
    </ConfirmStep>
  )
}
