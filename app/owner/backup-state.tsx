import { Notice } from '../ui/notice.tsx'
import { OPERATOR } from '../ui/operator.ts'
import styles from './backup-state.module.css'
import type { backupState } from './backup-state.server.ts'

const FOLDER_PLAN = '毎晩の控えを、作ったあとにコピーします。'
const S3_PLAN = '毎晩の控えを、作ったあとに暗号化して送ります。'

type State = NonNullable<Awaited<ReturnType<typeof backupState>>>

export function BackupState({ state: { night, left, reminds, folder, s3 } }: { state: State }) {
  const rows = [
    [
      '最新の控え',
      night.madeAt ? `${night.madeAt}に作り、戻せることを確認しました。` : '今夜から毎晩、自動で作ります。',
    ],
    ['サーバー外の控え', left ? `${left.inWords}のもの（${left.how}）` : 'まだありません。'],
    ['二つ目の場所', folder && (folder.madeAt ? `最後にコピーしたのは、${folder.madeAt}のものです。` : FOLDER_PLAN)],
    ['クラウドの保管先', s3 && (s3.madeAt ? `最後に送ったのは、${s3.madeAt}のものです。` : S3_PLAN)],
  ]
  return (
    <>
      {night.old && (
        <Notice kind="trouble">
          {`データの控えが、${night.madeAt ? `${night.madeAt}のあと` : 'まだ一度も'}作られていません。${OPERATOR}に、原因の確認をご依頼ください。`}
        </Notice>
      )}
      {folder?.fails && (
        <Notice kind="trouble">
          {`データの控えを、二つ目の場所にコピーできていません。USBメモリーなどがつながっているか、空きがあるかをご確認ください。分からないときは、${OPERATOR}にご相談ください。復旧すれば、自動でコピーを再開します。`}
        </Notice>
      )}
      {s3?.fails && (
        <Notice kind="trouble">
          {s3.madeAt
            ? `データの控えを、クラウドの保管先に送れていません。送れたのは、${s3.madeAt}のものまでです。`
            : 'データの控えを、クラウドの保管先にまだ一度も送れていません。'}
          {`${OPERATOR}に、原因の確認をご依頼ください。復旧すれば、自動で送信を再開します。`}
        </Notice>
      )}
      {reminds && (
        <Notice>
          {`サーバー外に置いた控えが、${left ? '1か月より古くなりました' : 'まだありません'}。サーバーの故障や紛失に備えて、一つダウンロードしておくと安心です。`}
        </Notice>
      )}
      <dl className={styles.state}>
        {rows.map(
          ([term, text]) =>
            text && (
              <div key={term}>
                <dt>{term}</dt>
                <dd>{text}</dd>
              </div>
            ),
        )}
      </dl>
    </>
  )
}
