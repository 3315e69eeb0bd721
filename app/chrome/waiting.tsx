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

/** Says why the page that was asked for does not come yet; who would rather stay, stays. */
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
          // To a place in this page the router goes at once, and forgets where it was going.
          onClick={() => navigate('#main', { replace: true, preventScrollReset: true })}
        >
          この画面にとどまる
        </Button>
      </Notice>
    </section>
  )
}

// The router itself is asked: of a link tapped while the page before is still being drawn React may forget that one is
// on the way.
function listen(look: () => void) {
  return window.__reactRouterDataRouter?.subscribe(look) ?? (() => {})
}
