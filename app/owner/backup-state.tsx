import { KEEPER } from '../ui/keeper.ts'
import { Notice } from '../ui/notice.tsx'
import styles from './backup-state.module.css'

/**
 * The state of the backups. `night` is the last good one on this machine, `old` if last night's is missing. `left` is
 * the newest one that left the machine, `reminds` whether to suggest another. `folder` is the second folder, if
 * configured. Times are formatted, except `left.at`.
 */
export type BackupState = {
  night: { madeAt: string | null; old: boolean }
  left: { at: string; inWords: string; how: string } | null
  reminds: boolean
  folder: { madeAt: string | null; fails: boolean } | null
}

export function BackupState({ state: { night, left, reminds, folder } }: { state: BackupState }) {
  return (
    <>
      {night.old && (
        <Notice kind="trouble">
          {`データの控えが、${night.madeAt ? `${night.madeAt}のあと` : 'まだ一度も'}作られていません。${KEEPER}に、わけをお調べいただくようお頼みください。`}
        </Notice>
      )}
      {folder?.fails && (
        <Notice kind="trouble">
          {`データの控えを、二つ目の場所に写せていません。USBメモリーなどがつながっているか、空きがあるかをお確かめください。わからないときは、${KEEPER}にお頼みください。直れば、ひとりでに追いつきます。`}
        </Notice>
      )}
      {reminds && (
        <Notice>
          {`サーバーの外に置いた控えが、${left ? 'ひと月より古くなりました' : 'まだありません'}。機械が壊れたり、なくなったりしたときのために、一つダウンロードしておくと安心です。`}
        </Notice>
      )}
      <dl className={styles.state}>
        <div>
          <dt>最新の控え</dt>
          <dd>
            {night.madeAt ? `${night.madeAt}に作り、戻せることを確かめました。` : '今夜から毎晩、自動で作ります。'}
          </dd>
        </div>
        <div>
          <dt>サーバーの外の控え</dt>
          <dd>{left ? `${left.inWords}のもの（${left.how}）` : 'まだありません。'}</dd>
        </div>
        {folder && (
          <div>
            <dt>二つ目の場所</dt>
            <dd>
              {folder.madeAt
                ? `最後に写したのは、${folder.madeAt}のものです。`
                : '毎晩の控えを、作ったあとに写します。'}
            </dd>
          </div>
        )}
      </dl>
    </>
  )
}
