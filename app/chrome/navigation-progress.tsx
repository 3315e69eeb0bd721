import { useNavigate } from 'react-router'
import { useConnectionState } from '../platform/connection-state.ts'
import { usePendingLocation } from '../platform/router-workarounds.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import styles from './navigation-progress.module.css'

const words = {
  unreachable: 'インターネットにつながっていないようです。つながりしだい、お選びのページを開きます。',
  failing: 'お選びのページを、まだ開けません。つながるまで、自動で再試行します。',
}

export function NavigationProgress() {
  const reach = useConnectionState()
  const going = usePendingLocation()
  const navigate = useNavigate()
  if (reach === 'reached' || !going) return null
  return (
    <section className={styles.waiting} aria-label="お知らせ">
      <Notice kind="trouble">
        <p>{words[reach]}</p>
        <Button
          // A hash navigation completes at once and cancels the pending navigation.
          onClick={() => navigate('#main', { replace: true, preventScrollReset: true })}
        >
          この画面にとどまる
        </Button>
      </Notice>
    </section>
  )
}
