import type { Kysely } from 'kysely'
import { Link } from 'react-router'
import type { Tables } from '../../db/tables.ts'
import { answered, orFailed, refused } from '../forms/answered.server.ts'
import { readFields } from '../forms/read-fields.ts'
import { Refused } from '../forms/refused.tsx'
import { undoOf } from '../forms/save-answer.ts'
import { Outcome } from '../forms/save-form.tsx'
import { useLeaving } from '../forms/use-leaving.ts'
import { Live } from '../live/live.tsx'
import { circleName } from '../pages/pages.server.ts'
import { mayManageStaff, refusedAdministrators } from '../permissions.ts'
import { readForm } from '../platform/form.server.ts'
import { seenIn } from '../records/own-saves.server.ts'
import { ChangeRefused } from '../records/record.ts'
import { authorOf, contextOf } from '../request.ts'
import { readCircle } from '../settings/circle.server.ts'
import { LAST_ADMINISTRATOR } from '../settings/roles.server.ts'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import type { Route } from './+types/staff-page.ts'
import { AccountsWithoutRole, isGone } from './accounts-without-role.tsx'
import { endInvitation, invite, listInvitations } from './invitations.server.ts'
import { qrCode } from './qr-code.server.ts'
import styles from './staff.module.css'
import { listAccountsWithoutRole, listStaff, manageStaff, removeAccount, type StaffDeed } from './staff.server.ts'
import { InvitationForm } from './staff.ts'
import { OpenInvitation, type StaffAnswer, StaffInviting } from './staff-inviting.tsx'
import { StaffPerson } from './staff-person.tsx'
import { endingOf, givingAs, leavingAs, type Role, removingAs, roles } from './staff-words.ts'

export async function loader({ context }: Route.LoaderArgs) {
  const { db, visitor } = contextOf(context)
  return {
    refusal: mayManageStaff(visitor) ? null : refusedAdministrators(visitor),
    staff: await listStaff(db, visitor),
    accounts: await listAccountsWithoutRole(db, visitor),
    circle: mayManageStaff(visitor) ? await circleWithAdministrators(db) : undefined,
    invitations: await listInvitations(db, visitor, contextOf(context).clock()),
  }
}

// Mentions members who are administrators even if the circle is off, because no other page shows them.
async function circleWithAdministrators(db: Kysely<Tables>) {
  const circle = await readCircle(db)
  const member = await db
    .selectFrom('members')
    .select('id')
    .where('administrator', '=', true)
    .where('deletedAt', 'is', null)
    .executeTakeFirst()
  return circle.shown || member ? await circleName(db) : undefined
}

export function action(given: Route.ActionArgs) {
  return orFailed(given, () => receive(given))
}

async function receive({ request, context }: Route.ActionArgs) {
  const { db, visitor } = contextOf(context)
  const form = await readForm(request, ['intent', 'name', 'role', 'id', 'version', 'key'])
  const said = (name: string) => String(form.get(name) ?? '')
  const intent = said('intent')
  if (!mayManageStaff(visitor)) return refused(visitor, refusedAdministrators(visitor), intent)
  const answer = (status: number, told: StaffAnswer) => answered<StaffAnswer>(request, { intent, ...told }, status)
  const now = contextOf(context).clock()

  if (intent === 'invite') {
    const read = readFields(InvitationForm, form)
    const values = { name: said('name'), role: said('role') }
    if (read.errors) return answer(400, { errors: read.errors, values })
    const made = await invite(db, visitor, read.value, now)
    if (!made) return answer(400, { trouble: CHOOSE_AGAIN })
    const url = `${contextOf(context).origin}/invitation?key=${made.token}`
    const done = `${read.value.name} さんへの招待を作りました。このリンクは、ここにいちどだけ表示されます。`
    return answer(200, { done, invitation: { url, qr: qrCode(url) } })
  }
  if (intent === endingOf(said('key'))) {
    const ended = await endInvitation(db, visitor, said('key'), new Date(now).toISOString())
    return ended
      ? answer(200, { done: '招待を取り消しました。リンクを開いても、もう使えません。' })
      : answer(409, { trouble: 'この招待は、すでに使われたか、取り消されています。' })
  }
  if (intent === removingAs(said('id'))) {
    try {
      const removed = await removeAccount(db, { id: said('id'), ...seenIn(form) }, authorOf(context))
      if (!removed) return answer(409, { trouble: troubles['newer version'][0] })
      return answer(200, { done: `${removed.name} さんのアカウントを削除しました。`, undo: undoOf(removed.save) })
    } catch (error) {
      if (error instanceof ChangeRefused) return answer(error.status, { trouble: error.message })
      throw error
    }
  }
  const [id, seen, role] = [said('id'), seenIn(form), said('role')]
  const what: StaffDeed | null =
    intent === leavingAs(id)
      ? { id, ...seen, deed: 'end' }
      : intent === givingAs(id) && isRole(role)
        ? { id, ...seen, deed: 'give', role }
        : null
  if (!what) return answer(400, { trouble: CHOOSE_AGAIN })
  const done = await manageStaff(db, visitor, what, authorOf(context))
  if (done?.state !== 'done') {
    const [trouble, status] = troubles[done?.state ?? 'not there']
    return answer(status, { trouble })
  }
  const words =
    what.deed === 'end'
      ? `${done.name} さんをお店の方から外しました。`
      : `${done.name} さんのできることを「${roles[what.role].label}」にしました。`
  return answer(200, { done: words, ...(done.save && { undo: undoOf(done.save) }) })
}

const CHOOSE_AGAIN = '操作を選び直してください。'
const troubles = {
  'not there': ['この方は見つかりません。ほかの管理者が先に外したようです。', 404],
  'last administrator': [LAST_ADMINISTRATOR, 409],
  'newer version': ['ほかの管理者が先に変更しました。いまの内容をご確認のうえ、もう一度お試しください。', 409],
} as const

function isRole(text: string): text is Role {
  return Object.hasOwn(roles, text)
}

export { needsItsData as shouldRevalidate } from '../ui/needs-its-data.ts'

export const handle = { title: 'お店の方', isPrivate: true }

export default function StaffPage({ loaderData }: Route.ComponentProps) {
  const { refusal, staff, invitations, accounts, circle } = loaderData
  const leaving = useLeaving(staff.map(({ id }) => leavingAs(id)))
  const ending = useLeaving(invitations.map(({ key }) => endingOf(key)))
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <Live topics={['members']} />
      <PageTitle title="お店の方" english="Staff" />
      {refusal ? (
        <Refused sentence={refusal} />
      ) : (
        <>
          <p>
            {`このサイトを編集できる、お店の方です。${circle ? `「${circle}」のメンバーとは別で、メンバー登録は要りません。` : ''}`}
          </p>
          {isGone(leaving, leavingAs('')) && <Outcome save={leaving.save} />}
          {staff.length === 0 ? (
            <p>まだどなたもいません。下から招待すると、受け取った方がここに並びます。</p>
          ) : (
            <ul className={styles.people}>
              {staff.map((person) => (
                <StaffPerson key={person.id} person={person} leaving={leaving} />
              ))}
            </ul>
          )}
          <StaffInviting />
          {isGone(ending, endingOf('')) && <Outcome save={ending.save} />}
          {invitations.length > 0 && (
            <section className={page.section}>
              <h2>まだ受け取られていない招待</h2>
              <ul className={styles.people}>
                {invitations.map((invitation) => (
                  <OpenInvitation key={invitation.key} invitation={invitation} ending={ending} />
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
        </>
      )}
    </div>
  )
}
