import type { Schedule } from './business-day.ts'
import styles from './business-days-page.module.css'
import { daysFromMonday, formatClosedDays, formatRow } from './week.ts'

export function WeekTable({ schedule }: { schedule: Schedule | null }) {
  if (!schedule) return <p>毎週の営業時間は、まだ登録されていません。</p>
  return (
    <>
      <table className={`${styles.list} ${styles.usual}`}>
        <caption className="visually-hidden">毎週の営業時間</caption>
        <thead>
          <tr>
            <th scope="col">曜日</th>
            <th scope="col">営業時間</th>
          </tr>
        </thead>
        <tbody>
          {daysFromMonday.map((name) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{formatRow(name, schedule[name])}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {formatClosedDays(schedule) && <p>{formatClosedDays(schedule)}</p>}
    </>
  )
}
