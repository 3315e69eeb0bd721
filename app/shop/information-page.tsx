import { isClosure, type SpecialDay, slotInWords, slotsOf, weekdays } from '../business-days/business-day.ts'
import { readDays, readSpecialDays } from '../business-days/business-days.server.ts'
import type { Schedule } from '../business-days/schedule.ts'
import { addDays, type Day, dayInJapan, dayInWords } from '../calendar/month.ts'
import { Live } from '../live/live.tsx'
import { Film } from '../media/film.tsx'
import { clockKey, dbKey, readOr } from '../request.ts'
import { pageMeta } from '../site/page-meta.ts'
import type { PublicFacts } from '../site/site.ts'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import type { Route } from './+types/information-page.ts'
import styles from './information-page.module.css'
import { OpenNow } from './open-now.tsx'

const DAYS_AHEAD = 60

export async function loader({ context }: Route.LoaderArgs) {
  const db = context.get(dbKey)
  const asOf = context.get(clockKey)()
  const today = dayInJapan(asOf)
  const days = await readOr(context, [], () => readDays(db, addDays(today, -1), 15))
  const specialDays = await readOr(context, [], () => readSpecialDays(db, today, addDays(today, DAYS_AHEAD)))
  return { days, specialDays, asOf }
}

export function meta({ matches, loaderData }: Route.MetaArgs) {
  return pageMeta(matches[0].loaderData, {
    title: '店舗案内',
    description: '営業時間と定休日、お席やお支払いのご案内です。木曜日から月曜日まで、朝とお昼に営業しております。',
    path: '/infomation',
    days: loaderData?.days,
  })
}

export default function InformationPage({ loaderData, matches }: Route.ComponentProps) {
  const { site, schedule } = matches[0].loaderData
  const { days, specialDays, asOf } = loaderData
  return (
    <div className={page.page}>
      <Live topics={['hours', 'specialDays', 'site']} />
      <PageTitle title="店舗案内" english="Infomation">
        <OpenNow days={days} asOf={asOf} />
      </PageTitle>
      <div className={styles.stage}>
        <Film
          name="shop"
          what="店の映像"
          alt="風にゆれる店の暖簾と、ともる提灯"
          className={styles.film}
          pauseClassName={styles.pause}
          eager
        />
      </div>
      <div className={styles.columns}>
        <section>
          <h2>営業時間</h2>
          {schedule && <HoursOfTheWeek schedule={schedule} />}
          {site.hoursInWords && <p className={styles.note}>{site.hoursInWords}</p>}
          {specialDays.length > 0 && (
            <ul className={styles.note}>
              {runsOf(specialDays).map(({ first, last, said }) => (
                <li key={first}>
                  {dayInWords(first)}
                  {last !== first && `から${dayInWords(last)}まで`} {said}
                </li>
              ))}
            </ul>
          )}
        </section>
        <ShopFacts site={site} />
      </div>
    </div>
  )
}

/** Special days as they are told: consecutive ones of which the same is said become one run. */
function runsOf(specialDays: SpecialDay[]) {
  const runs: { first: Day; last: Day; said: string }[] = []
  for (const { day, reason, hours } of specialDays) {
    const said = isClosure(reason) ? reason : [reason, ...slotsOf(hours).map(slotInWords)].join(' ')
    const run = runs.at(-1)
    if (run?.said === said && addDays(run.last, 1) === day) run.last = day
    else runs.push({ first: day, last: day, said })
  }
  return runs
}

function HoursOfTheWeek({ schedule }: { schedule: Schedule }) {
  const fromMonday = [...weekdays.slice(1), weekdays[0]]
  return (
    <table className={styles.hours}>
      <thead>
        <tr>
          <th scope="col">曜日</th>
          <th scope="col">朝の部</th>
          <th scope="col">昼の部</th>
        </tr>
      </thead>
      <tbody>
        {fromMonday.map((weekday) => {
          const slots = slotsOf(schedule[weekday])
          const closed = schedule[weekday].open_or_close === 'close'
          return (
            <tr key={weekday} className={closed ? styles.closed : undefined}>
              <th scope="row" data-mincho>
                {weekday}
              </th>
              {closed || slots.length === 0 ? (
                <td colSpan={2}>{closed ? '定休日' : '営業'}</td>
              ) : (
                [0, 1].map((place) => <td key={place}>{slots[place] ? slotInWords(slots[place]) : '―'}</td>)
              )}
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

function ShopFacts({ site }: { site: PublicFacts }) {
  const facts = [
    ['住所', [site.postalCode && `〒${site.postalCode}`, site.address].filter(Boolean).join(' ')],
    ['電話', site.telephone && <a href={`tel:${site.telephone}`}>{site.telephone}</a>],
    ['お席', site.seats],
    ['お支払い', site.payment],
    ['駐車場', site.parking],
  ] as const
  return (
    <section>
      <h2>お店について</h2>
      <dl className={styles.facts}>
        {facts
          .filter(([, fact]) => fact)
          .map(([name, fact]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{fact}</dd>
            </div>
          ))}
      </dl>
    </section>
  )
}
