import { dayInJapan } from '../dates/japan.ts'
import { addDays, formatDay } from '../dates/month.ts'
import { type DayState, formatDayState, formatSpan, groupDays, type Schedule } from '../hours/business-day.ts'
import { readDaysOfPage, readSchedule } from '../hours/business-days.server.ts'
import { UnbrokenTimes } from '../hours/unbroken-times.tsx'
import { formatClosedDays, formatOpenWeekdays, weekRows } from '../hours/week.ts'
import { isJapanese, t } from '../languages/language.ts'
import { words } from '../languages/words.tsx'
import { LiveUpdates } from '../live/live-updates.tsx'
import { PageBackdrop } from '../pages/page-backdrop.tsx'
import { PageHead } from '../pages/page-head.tsx'
import { openPage } from '../pages/pages.server.ts'
import { contextOf, readOr } from '../request.ts'
import type { PublicSettings } from '../settings/site.ts'
import page from '../ui/page.module.css'
import { Telephones } from '../ui/telephones.tsx'
import type { Route } from './+types/information-page.ts'
import styles from './information-page.module.css'
import { OpenNow } from './open-now.tsx'

const CARD_DAYS = 15
const DAYS_AHEAD = 60

export const handle = { cache: 'minute', translations: 'site', inSitemap: true }

export async function loader({ context }: Route.LoaderArgs) {
  const { db } = contextOf(context)
  const asOf = contextOf(context).clock()
  const { description, ...page } = await openPage(context, 'infomation')
  const schedule = await readOr(context, null, () => readSchedule(db))
  const about = {
    ...page,
    description: [description, schedule && formatOpenWeekdays(schedule)].filter(Boolean).join(isJapanese() ? '' : ' '),
  }
  const days = await readDaysOfPage(context, addDays(dayInJapan(asOf), -1), DAYS_AHEAD + 2)
  return { about, days: days.slice(0, CARD_DAYS), told: groupDays(days.slice(1), describeUnusualDay), asOf }
}

export default function InformationPage({ loaderData, matches }: Route.ComponentProps) {
  const { site, schedule } = matches[0].loaderData
  const { about, days, told, asOf } = loaderData
  return (
    <div className={page.page}>
      <LiveUpdates topics={['hours', 'specialDays', 'site']} />
      <PageHead page={about}>
        <OpenNow days={days} asOf={asOf} />
      </PageHead>
      <div className={styles.stage}>
        <PageBackdrop page={about} what={t('店の映像')} className={styles.film} pauseClassName={styles.pause} eager />
      </div>
      <div className={styles.columns}>
        <section>
          <h2>{t('営業時間')}</h2>
          {!schedule && !site.hoursInWords && <p>{t('営業時間は、ただいま準備しております。')}</p>}
          {schedule && <HoursOfTheWeek schedule={schedule} site={site} />}
          {site.hoursInWords && <p className={styles.note}>{words(site.hoursInWords)}</p>}
          {told.length > 0 && (
            <>
              <h3 className={styles.coming}>{t('これからの祝日と特別営業日')}</h3>
              <ul className={styles.days}>
                {told.map(({ first, last, what: { said: text, note } }) => (
                  <li key={first}>
                    <span>
                      {last === first
                        ? formatDay(first)
                        : t('{first}から{last}まで', { first: formatDay(first), last: formatDay(last) })}
                    </span>{' '}
                    <span>
                      <UnbrokenTimes text={text} />
                    </span>
                    {note && <small>{words(note)}</small>}
                  </li>
                ))}
              </ul>
            </>
          )}
        </section>
        <ShopFacts site={site} />
      </div>
    </div>
  )
}

function describeUnusualDay(state: DayState) {
  if (state.state === 'unknown') return null
  const text = formatDayState(state)
  if (state.source === 'special day') return { said: text, note: state.note }
  if (state.holiday) return { said: t('{day} {hours}', { day: state.holiday, hours: text }) }
  return state.source === 'eve of a holiday' ? { said: t('{day} {hours}', { day: t('祝前日'), hours: text }) } : null
}

function HoursOfTheWeek({ schedule, site }: { schedule: Schedule; site: PublicSettings }) {
  const rows = weekRows(schedule)
  const slots = [
    { slot: 'first', name: site.firstSlot },
    { slot: 'second', name: site.secondSlot },
  ] as const
  const usedSlots = slots.filter(({ slot }) => rows.some((row) => row[slot]))
  const span = Math.max(1, usedSlots.length)
  const names = rows.map(({ name }) => name)
  const closedDays = formatClosedDays(schedule)
  return (
    <>
      <table className={styles.hours}>
        <caption className="visually-hidden">{t('曜日ごとの営業時間')}</caption>
        <thead>
          <tr>
            <th scope="col">{t('曜日')}</th>
            {usedSlots.some(({ name }) => name) ? (
              usedSlots.map(({ slot, name }) => (
                <th key={slot} scope="col">
                  {words(name)}
                </th>
              ))
            ) : (
              <th scope="col" colSpan={span}>
                {t('時間')}
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name} className={row.closed ? styles.closed : undefined}>
              <th scope="row" data-mincho>
                {t(row.name)}
              </th>
              {row.first || row.second ? (
                usedSlots.map(({ slot }) => <td key={slot}>{row[slot] ? formatSpan(row[slot]) : '―'}</td>)
              ) : (
                <td colSpan={span}>{(row.joined && formatSpan(row.joined)) || t(row.closed ? '定休日' : '営業')}</td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {names.includes('祝前日') && (
        <p className={styles.note}>
          {t(
            names.includes('祝日')
              ? '祝日と重なる祝前日は、祝日と同じです。'
              : '祝日と重なる祝前日は、その曜日と同じです。',
          )}
        </p>
      )}
      {closedDays && <p className={styles.note}>{closedDays}</p>}
    </>
  )
}

function ShopFacts({ site }: { site: PublicSettings }) {
  const facts = [
    ['住所', [site.postalCode && `〒${site.postalCode}`, site.address].filter(Boolean).join(' ')],
    ['電話', site.telephone && <Telephones text={site.telephone} />],
    ['お席', site.seats],
    ['ご予算', site.priceRange],
    ['お支払い', site.payment],
    ['駐車場', site.parking],
  ] as const
  if (!facts.some(([, fact]) => fact)) return null
  return (
    <section>
      <h2>{t('お店について')}</h2>
      <dl className={styles.facts}>
        {facts
          .filter(([, fact]) => fact)
          .map(([name, fact]) => (
            <div key={name}>
              <dt>{t(name)}</dt>
              <dd>{typeof fact === 'string' ? words(fact) : fact}</dd>
            </div>
          ))}
      </dl>
    </section>
  )
}
