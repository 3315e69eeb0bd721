import { useState } from 'react'
import { reauthenticate, requiredProof } from '../accounts/account-changes.server.ts'
import { CurrentPassword } from '../accounts/account-field.tsx'
import { currentPasswordForm } from '../accounts/account-forms.ts'
import { parseSignInError, signInErrors } from '../accounts/sign-in-errors.ts'
import { DeniedNotice } from '../forms/denied-notice.tsx'
import { formAction } from '../forms/form-action.server.ts'
import { denied } from '../forms/outcome.ts'
import { checkFields } from '../forms/read-fields.ts'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import type { SaveResult } from '../forms/save-result.ts'
import { useSave } from '../forms/use-save.ts'
import { LiveUpdates } from '../live/live-updates.tsx'
import { refusalOfAdministration } from '../permissions.ts'
import { contextOf } from '../request.ts'
import { diskSpaceWarning } from '../settings/disk-space.server.ts'
import { Notice } from '../ui/notice.tsx'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import type { Route } from './+types/backup-page.ts'
import { GoogleSignIn } from './account-sections.tsx'
import { backupErrorIn, FILE_PATH } from './backup-download.ts'
import styles from './backup-page.module.css'
import { backupState } from './backup-state.server.ts'
import { BackupState } from './backup-state.tsx'

export async function loader({ context, url }: Route.LoaderArgs) {
  const { visitor } = contextOf(context)
  const problem = parseSignInError(url.searchParams.get('problem'))
  return {
    refusal: refusalOfAdministration(visitor),
    proof: await requiredProof(context, await contextOf(context).auth.session()),
    backups: await backupState(context),
    shortage: await diskSpaceWarning(context),
    trouble: problem ? signInErrors[problem] : backupErrorIn(url.searchParams),
  }
}

type BackupResult = SaveResult & { file?: string }

export const action = formAction<BackupResult>(
  {
    fields: ['current'],
    refusal: refusalOfAdministration,
    failure: 'ご本人の確認に失敗しました。もう一度お試しください。',
  },
  async (submission) => {
    const { auth } = submission
    const session = await auth.session()
    if (!session) throw denied(null, 'ログインしてから、もう一度お試しください。')
    const { proof } = await reauthenticate(submission, session, currentPasswordForm)
    return {
      done: 'ご本人であることを確認しました。控えを作り、戻せることを確認してから、お渡しします。少しお待ちください。',
      file: `${FILE_PATH}?permit=${auth.permit('backup', session, proof)}`,
    }
  },
)

export const handle = { cache: 'browser', title: 'データの控え', hasShortForms: true }

const contentsText =
  '写真を含むお店のすべてのデータを、一つのファイルにまとめてお使いの端末にお渡しします。お渡しする前に、実際に一度戻して、同じ内容になることを確認します。'
const warningText =
  'ファイルには、登録された方の連絡先と、パスワードのハッシュが入っています。暗号化されていませんので、ほかの方が開けない場所に保管し、新しいものを受け取ったら古いものは削除してください。'

export default function BackupPage({ loaderData }: Route.ComponentProps) {
  const { refusal, proof, backups, shortage, trouble } = loaderData
  return (
    <div className={`${page.page} ${styles.page}`}>
      <PageTitle title="データの控え" english="Backup" />
      <LiveUpdates topics={['backups']} />
      {refusal !== null && <DeniedNotice sentence={refusal} />}
      {shortage && <Notice kind="trouble">{shortage}</Notice>}
      <p>{contentsText}</p>
      <p className={styles.care}>{warningText}</p>
      {refusal === null && (
        <DownloadForm key={proof} proof={proof} previousError={trouble} ownDownload={backups?.ownDownload ?? ''} />
      )}
      {backups && (
        <section className={page.section}>
          <h2>現在の控え</h2>
          <BackupState state={backups} />
        </section>
      )}
    </div>
  )
}

type Props = {
  proof: Route.ComponentProps['loaderData']['proof']
  previousError: string | null
  /** Time (ISO 8601) of the last download of this administrator, or ''. */
  ownDownload: string
}

function DownloadForm({ proof, previousError, ownDownload }: Props) {
  const [downloadBefore, setDownloadBefore] = useState<string>()
  const save = useSave<BackupResult>({
    check: checkFields(currentPasswordForm(proof === 'password')),
    resets: true,
    onDone: ({ file }) => {
      setDownloadBefore(ownDownload)
      // If the user followed a download link, the browser would save an error page as the backup.
      if (file) location.assign(file)
    },
  })
  const { answer, busy, errors } = save
  // If another administrator has downloaded a backup since, the own download is no longer stored.
  const isDownloaded = downloadBefore !== undefined && ![downloadBefore, ''].includes(ownDownload)
  const previous = previousError && !answer && !errors && !busy && <Notice kind="trouble">{previousError}</Notice>
  if (proof === 'sign-in')
    return (
      <>
        {previous}
        <GoogleSignIn purpose="控えを受け取る" target="backup" />
      </>
    )
  return (
    <SaveForm save={save} action="/backup" className={styles.form}>
      {previous}
      {proof === 'password' && <CurrentPassword save={save} />}
      <SubmitButton busy={busy} meanwhile="確認しています…">
        控えをダウンロード
      </SubmitButton>
      {isDownloaded && !busy ? (
        <Notice kind="done">
          控えをお渡ししました。戻せることを確認済みです。端末に保存されているか、ご確認ください。
        </Notice>
      ) : (
        <Outcome save={save} />
      )}
      {answer?.file && !isDownloaded && !busy && (
        <p className={styles.again}>
          <a href={answer.file}>ダウンロードが始まらないときは、こちらから受け取る</a>
        </p>
      )}
    </SaveForm>
  )
}
