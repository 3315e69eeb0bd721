import { useNavigate } from 'react-router'
import { t } from '../languages/language.ts'
import { useConnectionState } from '../platform/connection-state.ts'
import { usePendingLocation } from '../platform/router-workarounds.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import styles from './navigation-progress.module.css'

const texts = {
  unreachable: 'インターネットにつながっていないようです。つながりしだい、お選びのページを開きます。',
  failing: 'お選びのページを、まだ開けません。つながるまで、自動で再試行します。',
}

export function NavigationProgress() {
  const connection = useConnectionState()
  const pendingLocation = usePendingLocation()
  const navigate = useNavigate()
  if (connection === 'reached' || !pendingLocation) return null
  return (
    <section className={styles.waiting} aria-label={t('お知らせ')}>
      <Notice kind="trouble">
        <p>{t(texts[connection])}</p>
        <Button
          // A hash navigation completes at once and cancels the pending navigation.
          onClick={() => navigate('#main', { replace: true, preventScrollReset: true })}
        >
          {t('この画面にとどまる')}
        </Button>
      </Notice>
    </section>
  )
}
