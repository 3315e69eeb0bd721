import { checkFields } from '../forms/read-fields.ts'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import type { SaveResult } from '../forms/save-result.ts'
import type { ListSave } from '../forms/use-list-save.ts'
import { useSave } from '../forms/use-save.ts'
import { formatInstant } from '../records/history.ts'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Field } from '../ui/field.tsx'
import page from '../ui/page.module.css'
import { ReadOnlyField } from '../ui/read-only-field.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import { useBrowserSupport } from '../ui/use-browser-support.ts'
import type { listInvitations } from './invitations.server.ts'
import styles from './staff.module.css'
import { endInvitationIntent, InvitationForm, roles } from './staff.ts'

type InvitationLinkProps = { url: string; qr: { size: number; path: string } }

/** The form response of the staff page. Only this response contains the link of a new invitation. */
export type StaffResult = SaveResult & { invitation?: InvitationLinkProps }

export function StaffInviting() {
  const save = useSave<StaffResult>({ intents: ['invite'], check: checkFields(InvitationForm), resets: true })
  const { answer } = save
  return (
    <section className={page.section}>
      <h2>招待する</h2>
      <p>リンクかQRコードをお渡しください。7日以内に、一度だけ使えます。</p>
      <SaveForm save={save} className={styles.invite} once="" hiddenFields={{ intent: 'invite' }}>
        <Field
          label="お名前"
          required
          hint="招待する方のお名前です。受け取る方が変更できます。"
          errors={save.errors?.name}
        >
          {(wiring) => <input {...wiring} name="name" autoComplete="off" />}
        </Field>
        <fieldset className={styles.roles}>
          <legend>権限</legend>
          {Object.entries(roles).map(([role, { label, description }]) => (
            <label key={role}>
              <input type="radio" name="role" value={role} defaultChecked={role === 'editing'} />
              <span>
                <b>{label}</b>
                {description}
              </span>
            </label>
          ))}
          {save.errors?.role && <p className={styles.error}>{save.errors.role.join(' ')}</p>}
        </fieldset>
        <SubmitButton busy={save.busy} meanwhile="作成しています…">
          招待を作成する
        </SubmitButton>
      </SaveForm>
      <Outcome save={save} />
      {answer?.invitation && answer.done && <InvitationLink {...answer.invitation} />}
    </section>
  )
}

function InvitationLink({ url, qr }: InvitationLinkProps) {
  const canShare = useBrowserSupport('share')
  return (
    <div className={styles.link}>
      <svg viewBox={`0 0 ${qr.size} ${qr.size}`} role="img" aria-label="招待のQRコード" className={styles.qr}>
        <path d={qr.path} shapeRendering="crispEdges" />
      </svg>
      <div>
        <ReadOnlyField label="招待のリンク" value={url} />
        <div className={styles.deeds}>
          {canShare && (
            <Button primary onClick={() => void navigator.share({ url }).catch(() => {})}>
              送る
            </Button>
          )}
          <CopyButton text={url}>リンクをコピーする</CopyButton>
        </div>
      </div>
    </div>
  )
}

type Props = { invitation: Awaited<ReturnType<typeof listInvitations>>[number]; invitationRemoval: ListSave }

export function OpenInvitation({ invitation, invitationRemoval }: Props) {
  const { key, name, role, expiresAt } = invitation
  return (
    <li>
      <p>{`${name} さん（${roles[role].label}）`}</p>
      <p className={styles.facts}>
        <time dateTime={expiresAt}>{formatInstant(expiresAt)}</time>まで
      </p>
      <SaveForm save={invitationRemoval.save} hiddenFields={{ key, intent: endInvitationIntent(key) }}>
        <Button
          type="submit"
          aria-disabled={invitationRemoval.save.busy}
          aria-label={`${name} さんへの招待を取り消す`}
          onClick={() => invitationRemoval.press(endInvitationIntent(key))}
        >
          招待を取り消す
        </Button>
      </SaveForm>
      {invitationRemoval.of === endInvitationIntent(key) && <Outcome save={invitationRemoval.save} />}
    </li>
  )
}
