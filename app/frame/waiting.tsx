import { useNavigate, useNavigation } from 'react-router'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { useReach } from './reach.ts'
import styles from './waiting.module.css'

const words = {
  unreachable: 'インターネットにつながっていないようです。つながりしだい、お選びのページを開きます。',
  failing: 'お選びのページを、まだ開けません。しばらく、くり返しお試しします。',
}

/** Says why the page that was asked for does not come yet; who would rather stay, stays. */
export function Waiting() {
  const reach = useReach()
  const going = useNavigation().location
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
