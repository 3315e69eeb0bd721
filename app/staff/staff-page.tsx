import { Link } from 'react-router'
import type { Db } from '../../db/tables.ts'
import { assertAllowed } from '../forms/assert-allowed.ts'
import { formAction, type Submission } from '../forms/form-action.server.ts'
import { submissionKeyOf } from '../forms/idempotency.server.ts'
import { Rejection, unwrap } from '../forms/outcome.ts'
import { parseFields } from '../forms/read-fields.ts'
import { Outcome } from '../forms/save-form.tsx'
import { undoOf } from '../forms/save-result.ts'
import { useListSave } from '../forms/use-list-save.ts'
import { LiveUpdates } from '../live/live-updates.tsx'
import { circleName } from '../pages/pages.server.ts'
import { refusalOfAdministration } from '../permissions.ts'
import { contextOf } from '../request.ts'
import { readCircle } from '../settings/circle.server.ts'
import { isKeyOf } from '../ui/is-key-of.ts'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import type { Route } from './+types/staff-page.ts'
import { AccountsWithoutRole } from './accounts-without-role.tsx'
import { endInvitation, invite, listInvitations } from './invitations.server.ts'
import { qrCode } from './qr-code.server.ts'
import styles from './staff.module.css'
import { listAccountsWithoutRole, listStaff, manageStaff, removeAccount, type StaffAction } from './staff.server.ts'
import {
  endInvitationIntent,
  endStaffIntent,
  giveRoleIntent,
  InvitationForm,
  removeAccountIntent,
  roles,
} from './staff.ts'
import { OpenInvitation, StaffInviting, type StaffResult } from './staff-inviting.tsx'
import { StaffPerson } from './staff-person.tsx'

export async function loader({ context }: Route.LoaderArgs) {
  const { db, visitor, clock } = contextOf(context)
  assertAllowed(refusalOfAdministration(visitor))
  return {
    staff: await listStaff(db, visitor),
    accounts: await listAccountsWithoutRole(db),
    circle: await readCircleName(db),
    invitations: await listInvitations(db, clock()),
  }
}

// Returns the name even while the circle is off if a member is an administrator, because no other page then lists
// members.
async function readCircleName(db: Db) {
  const circle = await readCircle(db)
  const member = await db
    .selectFrom('members')
    .select('id')
    .where('administrator', '=', true)
    .where('deletedAt', 'is', null)
    .executeTakeFirst()
  return circle.shown || member ? await circleName(db) : undefined
}

export const action = formAction<StaffResult>(
  { fields: ['intent', 'name', 'role', 'id', 'version', 'key', 'once'], refusal: refusalOfAdministration },
  async (submission) => {
    const { db, form, field, intent, seen, author, origin, secret } = submission
    const [id, role] = [field('id'), field('role')]
    switch (intent) {
      case 'invite': {
        const fields = parseFields(InvitationForm, form)
        const token = await invite(db, fields, submissionKeyOf(submission, 'invitation'), secret)
        const url = `${origin}/invitation?key=${token}`
        const done = `${fields.name} さんへの招待を作成しました。このリンクは、ここに一度だけ表示されます。`
        return { done, invitation: { url, qr: qrCode(url) } }
      }
      case endInvitationIntent(field('key')):
        if (!(await endInvitation(db, field('key'), author.at)))
          throw new Rejection('この招待は、すでに使われたか、取り消されています。')
        return { done: '招待を取り消しました。リンクを開いても、もう使えません。' }
      case removeAccountIntent(id): {
        const { name, save } = unwrap(await removeAccount(db, { id, ...seen }, author), { conflict: CHANGED })
        return { done: `${name} さんのアカウントを削除しました。`, undo: undoOf(save) }
      }
      case endStaffIntent(id):
        return manage(submission, { id, ...seen, deed: 'end' }, 'さんをスタッフから外しました。')
      case giveRoleIntent(id):
        if (!isKeyOf(roles, role)) throw new Rejection(CHOOSE_AGAIN, 400)
        return manage(
          submission,
          { id, ...seen, deed: 'give', role },
          `さんの権限を「${roles[role].label}」にしました。`,
        )
      default:
        throw new Rejection(CHOOSE_AGAIN, 400)
    }
  },
)

async function manage({ db, author }: Submission, action: StaffAction, done: string) {
  const { name, save } = unwrap(await manageStaff(db, action, author), { missing: GONE, conflict: CHANGED })
  return { done: `${name} ${done}`, ...(save && { undo: undoOf(save) }) }
}

const CHOOSE_AGAIN = '操作を選び直してください。'
const GONE = 'この方は見つかりません。すでにスタッフから外れているようです。'
const CHANGED = 'ほかの管理者が先に変更しました。現在の内容をご確認のうえ、もう一度お試しください。'

export const handle = { title: 'スタッフ', cache: 'none' }

export default function StaffPage({ loaderData }: Route.ComponentProps) {
  const { staff, invitations, accounts, circle } = loaderData
  const staffRemoval = useListSave(staff.map(({ id }) => endStaffIntent(id)))
  const invitationRemoval = useListSave(invitations.map(({ key }) => endInvitationIntent(key)))
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <LiveUpdates topics={['members']} />
      <PageTitle title="スタッフ" english="Staff" />
      <p>
        {`このサイトを編集できるスタッフです。${circle ? `「${circle}」のメンバーとは別で、メンバー登録は不要です。` : ''}`}
      </p>
      {staffRemoval.of === null && <Outcome save={staffRemoval.save} />}
      {staff.length === 0 ? (
        <p>まだどなたもいません。下から招待すると、受け取った方がここに並びます。</p>
      ) : (
        <ul className={styles.people}>
          {staff.map((person) => (
            <StaffPerson key={person.id} person={person} staffRemoval={staffRemoval} />
          ))}
        </ul>
      )}
      <StaffInviting />
      {invitationRemoval.of === null && <Outcome save={invitationRemoval.save} />}
      {invitations.length > 0 && (
        <section className={page.section}>
          <h2>まだ受け取られていない招待</h2>
          <ul className={styles.people}>
            {invitations.map((invitation) => (
              <OpenInvitation key={invitation.key} invitation={invitation} invitationRemoval={invitationRemoval} />
            ))}
          </ul>
        </section>
      )}
      <AccountsWithoutRole accounts={accounts} />
      {circle && (
        <p className={page.section}>
          <span>{`「${circle}」の管理者も、お店のすべてを編集できます。`}</span>
          <Link to="/memberlist">メンバー</Link>
          でご確認ください。
        </p>
      )}
    </div>
  )
}
