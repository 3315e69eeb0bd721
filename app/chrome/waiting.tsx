import { useSyncExternalStore } from 'react'
import { useNavigate } from 'react-router'
import { goingTo } from '../platform/load-route-module.ts'
import { useReach } from '../platform/reach.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import styles from './waiting.module.css'

const words = {
  unreachable: 'インターネットにつながっていないようです。つながりしだい、お選びのページを開きます。',
  failing: 'お選びのページを、まだ開けません。しばらく、くり返しお試しします。',
}

export function Waiting() {
  const reach = useReach()
  const going = useSyncExternalStore(listen, goingTo, () => undefined)
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

// Subscribe to the router: React may lose a pending navigation while the previous page still renders.
function listen(look: () => void) {
  return window.__reactRouterDataRouter?.subscribe(look) ?? (() => {})
}
