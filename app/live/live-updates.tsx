import { useEffect, useState } from 'react'
import { languageCode, t } from '../languages/language.ts'
import styles from './live-updates.module.css'
import { readFreshTime } from './stream-client.ts'
import type { Topic } from './topics.ts'
import { useLive } from './use-live.ts'

const STALE_AFTER_MS = 5 * 60_000

/**
 * Revalidates the page when one of the topics or a notice changes, and shows since when its data may be stale. A second
 * subscription for the notices would read the data twice.
 */
export function LiveUpdates({ topics }: { topics: Topic[] }) {
  useLive(...topics, 'notices')
  const [staleSince, setStaleSince] = useState(0)
  useEffect(() => {
    const timer = setInterval(
      () => setStaleSince(Date.now() - readFreshTime() > STALE_AFTER_MS ? readFreshTime() : 0),
      30_000,
    )
    return () => clearInterval(timer)
  }, [])
  return (
    <p className={styles.age} role="status">
      {staleSince > 0 &&
        t('{time} 現在の内容です。', {
          time: new Date(staleSince).toLocaleTimeString(languageCode(), {
            timeStyle: 'short',
            timeZone: 'Asia/Tokyo',
            hourCycle: 'h23',
          }),
        })}
    </p>
  )
}
