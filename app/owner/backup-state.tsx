import { Notice } from '../ui/notice.tsx'
import { OPERATOR } from '../ui/operator.ts'
import styles from './backup-state.module.css'
import type { backupState } from './backup-state.server.ts'

type State = NonNullable<Awaited<ReturnType<typeof backupState>>>

export function BackupState({ state: { night, left, reminds, folder } }: { state: State }) {
  return (
    <>
      {night.old && (
        <Notice kind="trouble">
          {`データの控えが、${night.madeAt ? `${night.madeAt}のあと` : 'まだ一度も'}作られていません。${OPERATOR}に、わけをお調べいただくようお頼みください。`}
        </Notice>
      )}
      {folder?.fails && (
        <Notice kind="trouble">
          {`データの控えを、二つ目の場所に写せていません。USBメモリーなどがつながっているか、空きがあるかをお確かめください。わからないときは、${OPERATOR}にお頼みください。直れば、ひとりでに追いつきます。`}
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
