import { TableLink } from '../bookings/table-link.tsx'
import { type DayState, formatOpeningNow, openingNow, shopTextsOf } from '../hours/business-day.ts'
import { UnbrokenTimes } from '../hours/unbroken-times.tsx'
import { words } from '../languages/words.tsx'
import { useEveryMinute } from '../ui/use-time.ts'
import styles from './open-now.module.css'

type Props = {
  /** Consecutive days, beginning with yesterday. */
  days: DayState[]
  /** Server time in milliseconds since 1970. */
  asOf: number
}

export function OpenNow({ days, asOf }: Props) {
  const now = useEveryMinute(asOf)
  const state = openingNow(now, days)
  const text = formatOpeningNow(state)
  if (!text) return null
  return (
    <div className={`${styles.card} ${state.state === 'open' ? styles.open : ''} `}>
      <p className={styles.headline} data-mincho>
        {words(text.headline)}
      </p>
      <p>
        <UnbrokenTimes text={text.detail} />
      </p>
      {shopTextsOf(state).map((shopText) => (
        <p key={shopText}>{words(shopText)}</p>
      ))}
      <TableLink />
    </div>
  )
}
