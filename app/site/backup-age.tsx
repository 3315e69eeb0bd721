import { Notice } from '../ui/notice.tsx'
import styles from './backup-age.module.css'

/** When the last good backup was made, in words, if ever; `old` where last night's is missing. */
export type Backup = { madeAt: string | null; old: boolean }

/** Tells administrators quietly of the last backup; aloud where it is old. */
export function BackupAge({ backup }: { backup: Backup | null }) {
  if (!backup) return null
  const { madeAt, old } = backup
  const quietly = madeAt
    ? `データの控え: ${madeAt}に作り、戻せることを確かめました。`
    : 'データの控えは、今夜から毎晩、自動で作ります。'
  const aloud = madeAt
    ? `データの控えが、${madeAt}のあと作られていません。`
    : 'データの控えが、まだ一度も作られていません。'
  return (
    <div className={styles.age}>
      {old ? (
        <Notice kind="trouble">{aloud}サーバーで npm run doctor と打つと、わけと直し方がわかります。</Notice>
      ) : (
        quietly
      )}
    </div>
  )
}
