import { useState } from 'react'
import { Link } from 'react-router'
import { holidayName } from '../days/holiday.ts'
import { addDays, type Day, dayInWords, daysInMonth, dayWithYearInWords } from '../days/month.ts'
import { Outcome, SaveForm } from '../saving/save-form.tsx'
import { useSave } from '../saving/use-save.ts'
import button from '../ui/button.module.css'
import { Field } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import { isClosure, slotInWords, slotsOf, specialReasons, weekdays } from './business-day.ts'
import type { ListedSpecialDay } from './business-days.server.ts'
import type { HoursAnswer } from './business-days-answer.ts'
import styles from './business-days-page.module.css'
import { HoursFields } from './hours-fields.tsx'
import { LeftOutQuestion, Question } from './question.tsx'
import { rhythms } from './rhythm.ts'
import type { Schedule } from './schedule.ts'
import { usualHours } from './week.ts'

type FormProps = {
  /** The day that is edited, or that a new one begins with. */
  day: Day
  /** The week that it departs from. */
  schedule: Schedule | null
  /** The special day that is edited; null for a new one. */
  special: ListedSpecialDay | null
  mayEdit: boolean
}

/** One special day, or the same for many: a span, or a weekday's rhythm within it. */
export function SpecialDaysForm({ day, schedule, special, mayEdit }: FormProps) {
  const save = useSave<HoursAnswer>({ intents: ['special', 'remove'] })
  const { answer, busy, errors = {} } = save
  // What its editor saw: a change by somebody else meanwhile asks before it is lost.
  const [seen] = useState(special)
  // Until times are chosen, those of another day come with it.
  const [usualOf, setUsualOf] = useState(day)
  const [hasChosen, setHasChosen] = useState(false)
  const stored = seen?.hours && slotsOf(seen.hours).length > 0 ? seen.hours : null
  const values = answer?.values ?? {
    reason: seen?.reason ?? specialReasons[0],
    ...(stored ?? usualHours(usualOf, schedule, holidayName)),
  }
  const [reason, setReason] = useState(values.reason ?? '')
  const reasons = special && !(specialReasons as readonly string[]).includes(special.reason) ? [special.reason] : []
  return (
    <SaveForm save={save} className={styles.special}>
      {special && !special.hours && (
        <Notice kind="trouble">
          読めないデータが1件あります（{dayInWords(day)}）。もとのデータは、保存するまでそのまま残ります。
        </Notice>
      )}
      <fieldset disabled={!mayEdit} className={styles.fields}>
        {special ? (
          <>
            <h3>{dayWithYearInWords(day)}の特別営業日</h3>
            <input type="hidden" name="first" value={day} />
            {seen?.hours && <input type="hidden" name="replacing" value={agreed([seen])} />}
          </>
        ) : (
          <>
            <DaySelects
              name="first"
              label="日付"
              day={day}
              values={answer?.values}
              errors={errors.first}
              onChoose={(chosen) => hasChosen || setUsualOf(chosen)}
            />
            <div className={styles.bulk}>
              <label className={styles.check}>
                <input type="checkbox" name="bulk" value="yes" defaultChecked={answer?.values?.bulk === 'yes'} />
                期間やくり返しで、まとめて設定する
              </label>
              <div>
                <DaySelects
                  name="last"
                  label="終わりの日"
                  day={addDays(day, 1)}
                  values={answer?.values}
                  errors={errors.last}
                />
                <div className={styles.pair}>
                  <Field label="くり返し" errors={errors.rhythm}>
                    {(wiring) => (
                      <select {...wiring} name="rhythm" defaultValue={values.rhythm ?? '毎日'}>
                        {rhythms.map((rhythm) => (
                          <option key={rhythm}>{rhythm}</option>
                        ))}
                      </select>
                    )}
                  </Field>
                  <Field label="曜日（毎日のときは選ばなくても可）" errors={errors.weekday}>
                    {(wiring) => (
                      <select {...wiring} name="weekday" defaultValue={values.weekday ?? '0'}>
                        {weekdays.map((weekday, index) => (
                          <option key={weekday} value={index}>
                            {weekday}
                          </option>
                        ))}
                      </select>
                    )}
                  </Field>
                </div>
              </div>
            </div>
          </>
        )}
        <Field label="理由" errors={errors.reason}>
          {(wiring) => (
            <select
              {...wiring}
              name="reason"
              defaultValue={values.reason}
              onChange={(event) => setReason(event.target.value)}
            >
              {[...specialReasons, ...reasons].map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          )}
        </Field>
        <div className={styles.times} hidden={isClosure(reason)} onChange={() => setHasChosen(true)}>
          <HoursFields key={usualOf} values={values} errors={errors} />
          <p className={styles.hint}>00:00〜00:00は「時間なし」です。</p>
        </div>
        {answer?.sure ? (
          <LeftOutQuestion
            back="/bussinessdays?table=special"
            intent="special"
            sentences={answer.sure}
            label="このまま保存する"
            busy={busy}
          />
        ) : answer?.existing ? (
          <Question
            back="/bussinessdays?table=special"
            intent="special"
            yes={[{ name: 'replacing', value: agreed(answer.existing), label: '置き換えて保存する' }]}
            busy={busy}
          >
            <p>すでに設定のある日が{answer.existing.length}日あります。この内容で置き換えますか？</p>
            <ul className={styles.existing}>
              {answer.existing.map((each) => (
                <li key={each.day}>{inWords(each)}</li>
              ))}
            </ul>
            <input type="hidden" name="sure" value="yes" />
          </Question>
        ) : (
          <div className={styles.actions}>
            <SubmitButton name="intent" value="special" busy={busy}>
              {special ? '編集する' : 'スケジュールを登録する'}
            </SubmitButton>
            {special && seen && (
              <>
                <input type="hidden" name="version" value={seen.version} />
                <button type="submit" name="intent" value="remove" className={button.button} aria-disabled={busy}>
                  この日を通常の営業に戻す
                </button>
              </>
            )}
          </div>
        )}
      </fieldset>
      <Outcome save={save} />
    </SaveForm>
  )
}

function agreed(existing: ListedSpecialDay[]) {
  return existing.map(({ day, version }) => `${day}:${version}`).join(',')
}

function inWords({ day, reason, hours }: ListedSpecialDay) {
  const said = hours ? [reason, !isClosure(reason) && slotsOf(hours).map(slotInWords).join(' ／ ')] : ['読めないデータ']
  return [dayWithYearInWords(day), dayInWords(day).replace(/^[^（]*/, ''), ' ', said.filter(Boolean).join(' ')].join('')
}

const years = Array.from({ length: 2100 - 2025 + 1 }, (_, index) => 2025 + index)

type DayProps = {
  name: 'first' | 'last'
  label: string
  day: Day
  values: Record<string, string> | undefined
  errors: string[] | undefined
  onChoose?: (day: Day) => void
}

/** Year, month and day; the days follow the month, and the chosen one keeps within it. */
function DaySelects({ name, label, day, values, errors, onChoose }: DayProps) {
  const part = (which: 'Year' | 'Month' | 'Day', index: number) =>
    Number(values?.[`${name}${which}`] ?? day.split('-')[index])
  const [{ year, month, date }, setParts] = useState({
    year: part('Year', 0),
    month: part('Month', 1),
    date: part('Day', 2),
  })
  const last = daysInMonth(year, month)
  const choose = (changed: { year?: number; month?: number; date?: number }) => {
    const parts = { year, month, date, ...changed }
    setParts(parts)
    onChoose?.(dayOf(parts))
  }
  const select = (which: string, unit: string, value: number, options: number[], set: (value: number) => void) => (
    <label className={styles.part}>
      <select
        name={`${name}${which}`}
        value={value}
        aria-label={`${label}の${unit}`}
        aria-invalid={errors ? true : undefined}
        aria-describedby={errors ? `${name}-error` : undefined}
        onChange={(event) => set(Number(event.target.value))}
      >
        {options.map((option) => (
          <option key={option} value={option}>
            {option}
          </option>
        ))}
      </select>
      {unit}
    </label>
  )
  return (
    <fieldset className={styles.day}>
      <legend>{label}</legend>
      {select('Year', '年', year, years, (year) => choose({ year }))}
      {select('Month', '月', month, upTo(12), (month) => choose({ month }))}
      {select('Day', '日', Math.min(date, last), upTo(last), (date) => choose({ date }))}
      {errors && (
        <p className={styles.error} id={`${name}-error`}>
          {errors.join(' ')}
        </p>
      )}
    </fieldset>
  )
}

// The day that is shown for these parts.
function dayOf({ year, month, date }: { year: number; month: number; date: number }): Day {
  return addDays(`${year}-${String(month).padStart(2, '0')}-01`, Math.min(date, daysInMonth(year, month)) - 1)
}

function upTo(last: number) {
  return Array.from({ length: last }, (_, index) => index + 1)
}

/** The special days that are still to come. */
export function SpecialDaysTable({ specialDays, mayEdit }: { specialDays: ListedSpecialDay[]; mayEdit: boolean }) {
  if (specialDays.length === 0) return <p>これからの特別営業日は、まだありません。</p>
  return (
    <table className={styles.list}>
      <thead>
        <tr>
          <th scope="col">日付</th>
          <th scope="col">理由</th>
          <th scope="col">時間</th>
          {mayEdit && <th scope="col">操作</th>}
        </tr>
      </thead>
      <tbody>
        {specialDays.map(({ day, reason, hours }) => (
          <tr key={day}>
            <th scope="row">
              {dayWithYearInWords(day)}
              {dayInWords(day).replace(/^[^（]*/, '')}
            </th>
            <td>{hours ? reason : '読めないデータ'}</td>
            <td>{hours && !isClosure(reason) ? slotsOf(hours).map(slotInWords).join(' ／ ') || '時間なし' : '―'}</td>
            {mayEdit && (
              <td>
                <Link to={`/bussinessdays?table=special&day=${day}`} aria-label={`${dayInWords(day)}を編集する`}>
                  編集
                </Link>
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
