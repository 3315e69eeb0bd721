import { useState } from 'react'
import { Outcome, SaveForm } from '../saving/save-form.tsx'
import { useSave } from '../saving/use-save.ts'
import { Notice } from '../ui/notice.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import { noHours, rowInWords, scheduleRows } from './business-day.ts'
import type { HoursAnswer } from './business-days-answer.ts'
import styles from './business-days-page.module.css'
import { HoursFields } from './hours-fields.tsx'
import { Question } from './question.tsx'
import type { Schedule } from './schedule.ts'

type Props = {
  week: { version: number; schedule: Schedule | null }
  mayEdit: boolean
  /** Whether who saves it may also mend what is written beside the hours. */
  mendsWords: boolean
}

/** The nine rows of the week. */
export function WeekForm({ week, mayEdit, mendsWords }: Props) {
  const save = useSave<HoursAnswer>({ intents: ['week'] })
  const { answer, busy, errors } = save
  // The version whose rows this form was filled with: what is saved meanwhile has not been seen by its editor.
  const [seen] = useState(week.version)
  const newer = answer?.newer
  const unreadable = mayEdit && week.version > 0 && !week.schedule
  const values: Record<string, string> = answer?.values ?? flat(week.schedule)
  return (
    <SaveForm save={save} validates>
      <input type="hidden" name="version" value={newer?.version ?? answer?.values?.version ?? seen} />
      {answer?.values?.beside && <input type="hidden" name="beside" value={answer.values.beside} />}
      {unreadable && (
        <Notice kind="trouble">
          <p>読めないデータが1件あります。もとのデータは、次に保存するまでそのまま残ります。</p>
          <label className={styles.check}>
            <input type="checkbox" name="overwriting" value="yes" required />
            読めないデータを、この内容で置き換えます
          </label>
        </Notice>
      )}
      <fieldset disabled={!mayEdit} className={styles.fields}>
        <Rows values={values} errors={errors} newer={newer?.schedule} />
        <p className={styles.hint}>
          00:00〜00:00は「時間なし」です。祝日と祝前日は、営業のまま時間を入れなければ、その曜日のとおりになります。
        </p>
        <Outcome save={save}>
          {newer &&
            'ほかの方が先に保存しました。違うところに「新しい内容」を示しています。見比べて、よろしければもう一度保存してください。'}
        </Outcome>
        {answer?.beside ? (
          <BesideQuestion beside={answer.beside} mendsWords={mendsWords} busy={busy} />
        ) : (
          <SubmitButton name="intent" value="week" busy={busy}>
            {week.version === 0 ? 'スケジュールを登録する' : '編集する'}
          </SubmitButton>
        )}
      </fieldset>
    </SaveForm>
  )
}

type RowsProps = {
  values: Record<string, string>
  errors: Record<string, string[]> | undefined
  /** What somebody else saved meanwhile. */
  newer: Schedule | null | undefined
}

function Rows({ values, errors, newer }: RowsProps) {
  return (
    <table className={styles.week}>
      <thead>
        <tr>
          <th scope="col">曜日</th>
          <th scope="col">営業</th>
          <th scope="col">時間</th>
        </tr>
      </thead>
      <tbody>
        {scheduleRows.map((name) => (
          <tr key={name}>
            <th scope="row" data-mincho>
              {name}
            </th>
            <td>
              <select
                name={`${name}.open_or_close`}
                defaultValue={values[`${name}.open_or_close`]}
                aria-label={`${name}の営業`}
              >
                <option value="open">営業</option>
                <option value="close">定休日</option>
              </select>
            </td>
            <td>
              <HoursFields prefix={`${name}.`} of={name} values={values} errors={errors} />
              {newer && differs(newer, values, name) && (
                <p className={styles.newer}>新しい内容: {rowInWords(newer[name])}</p>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function BesideQuestion({ beside, mendsWords, busy }: { beside: string; mendsWords: boolean; busy: boolean }) {
  const mend = { name: 'beside', value: 'mend', label: '保存して、文章を直しにいく' }
  const stays = { name: 'beside', value: 'stays', label: 'このまま保存する' }
  return (
    <Question back="/bussinessdays" intent="week" yes={mendsWords ? [mend, stays] : [stays]} busy={busy}>
      <p>店舗案内では、時間の表の下に次の文章もお見せしています。新しい営業時間に合っていますか？</p>
      <blockquote className={styles.beside}>{beside}</blockquote>
      {!mendsWords && <p>合わないところがあるときは、保存してから管理者にお知らせください。</p>}
    </Question>
  )
}

function flat(schedule: Schedule | null): Record<string, string> {
  const rows = scheduleRows.map((name) => [name, schedule?.[name] ?? { open_or_close: 'open', ...noHours }] as const)
  return Object.fromEntries(
    rows.flatMap(([name, row]) => Object.entries(row).map(([field, value]) => [`${name}.${field}`, value])),
  )
}

function differs(newer: Schedule, mine: Record<string, string>, name: (typeof scheduleRows)[number]) {
  return Object.entries(newer[name]).some(([field, value]) => mine[`${name}.${field}`] !== value)
}
