import type { Mutant } from '../scripts/mutants.ts'

const invited = ['invitations', 'closed-invitations', 'invitations-at-once', 'unproven-addresses'].map(
  (name) => `app/staff/${name}.test.ts`,
)
const roles = { file: 'app/roles/roles.server.ts', tests: ['app/staff/staff-page.test.ts'] }
const record = { file: 'app/staff/staff-record.server.ts', tests: ['app/staff/staff-page.test.ts'] }
const invitations = { file: 'app/staff/invitations.server.ts', tests: invited }
const welcome = { file: 'app/welcome/welcome.server.ts', tests: ['app/welcome/welcome.test.ts'] }
const accounts = { file: 'app/accounts/accounts.server.ts', tests: ['app/welcome/welcome.test.ts'] }
const invitedToAccounts = { file: 'app/accounts/accounts.server.ts', tests: invited }
const verifying = { file: 'app/sign-in/verify-page.tsx', tests: invited }
const people = { file: 'app/staff/staff.server.ts', tests: ['app/staff/staff-page.test.ts'] }
const signedIn = { file: 'app/sign-in/signed-in-page.tsx', tests: ['app/staff/staff-page.test.ts'] }
const welcomePage = { file: 'app/welcome/welcome-page.tsx', tests: ['app/welcome/welcome.test.ts'] }
const invitationPage = { file: 'app/staff/invitation-page.tsx', tests: invited }
const rules = { file: 'app/permissions.ts', tests: ['app/doors.test.ts'] }
const doorsOfPeople = { file: 'app/staff/staff.server.ts', tests: ['app/doors.test.ts'] }
const doorsOfInvitations = { file: 'app/staff/invitations.server.ts', tests: ['app/doors.test.ts'] }
const changes = { file: 'app/staff/staff-changes-page.tsx', tests: ['app/doors.test.ts'] }
const staffPage = { file: 'app/staff/staff-page.tsx', tests: ['app/doors.test.ts'] }
const streams = { file: 'app/live/change.ts', tests: ['app/staff/staff-page.test.ts'] }

export default [
  { ...roles, text: "  await lock(trx, 'administrators')\n", broken: '' },
  { ...roles, text: '  if (!staff) throw new', broken: '  if (staff || !staff) throw new' },
  { ...roles, text: '  if (member) return\n', broken: '' },
  {
    ...roles,
    text: "db.selectFrom('staff').where('role', '=', 'administration')",
    broken: "db.selectFrom('staff')",
  },
  { ...record, text: 'await keepOneAdministrator(trx, before)', broken: 'void keepOneAdministrator' },
  { ...record, text: 'await endSessions(trx, before.accountId)', broken: 'void endSessions' },
  { ...invitations, text: "return { state: 'already' }", broken: '{}' },
  { ...invitations, text: '  if (visitor) await lockStaffOf(trx, visitor.accountId)\n', broken: '' },
  { ...invitations, text: '  await lock(trx, nameOf(keyOf(token)))\n', broken: '' },
  { ...invitations, text: ' || !(await administratorsOf(db)).includes(invitedBy)', broken: '' },
  { ...invitations, text: "    .where('invitedBy', 'in', ['', ...(await administratorsOf(db))])\n", broken: '' },
  { ...invitations, text: "  if (expiresAt <= new Date(now).toISOString()) return { state: 'expired' }\n", broken: '' },
  { ...invitations, text: '    await lock(trx, nameOf(key))\n', broken: '' },
  {
    ...welcome,
    text: 'if (!open || !(await markFirstAdministrator(trx, at))) return false',
    broken: 'await markFirstAdministrator(trx, at); if (!open) return false',
  },
  {
    ...welcome,
    text: '(open.accountId === null && !(await markFirstAdministrator(trx, at)))',
    broken: '(open.accountId === null && (await markFirstAdministrator(trx, at), false))',
  },
  { ...welcome, text: '!account || account.emailVerified', broken: '!account' },
  { ...welcome, text: '!verifies || !account', broken: '!account' },
  { ...welcome, text: "staff?.role === 'administration' ?", broken: 'staff ?' },
  { ...welcome, text: '  await lockAccount(trx, open.accountId)\n', broken: '' },
  { ...welcome, text: "  await lock(trx, 'welcome')\n  const open", broken: '  const open' },
  {
    ...welcome,
    text: '      if (verifies) {\n        await keepFor(trx, token, id)\n',
    broken: '      await keepFor(trx, token, id)\n      if (verifies) {\n',
  },
  {
    ...accounts,
    text: "  await endSessions(trx, id)\n  await trx.updateTable('accounts').set({ name",
    broken: "  await trx.updateTable('accounts').set({ name",
  },
  {
    ...invitedToAccounts,
    text: '!around.mailer.verifies || !staff',
    broken: '!around.mailer.verifies || !staff || true',
  },
  { ...verifying, text: 'return !isOwn &&', broken: 'return false && !isOwn &&' },
  { ...verifying, text: 'return !isOwn &&', broken: 'return ' },
  {
    ...people,
    text: "  await trx.deleteFrom('invitations').where('usedBy', '=', author.accountId).execute()\n",
    broken: '',
  },
  {
    ...people,
    text: "  await trx.deleteFrom('revisions').where('subject', '=', 'staff')",
    broken: "  if (!row) await trx.deleteFrom('revisions').where('subject', '=', 'staff')",
  },
  { ...signedIn, text: 'visitor.member || visitor.staff ||', broken: 'visitor.member ||' },
  { ...welcomePage, text: 'if (ownerEmail && email !== ownerEmail)', broken: 'if (false)' },
  { ...welcomePage, text: 'if (ownerEmail && visitor.email !== ownerEmail)', broken: 'if (false)' },
  {
    ...welcomePage,
    text: '  if (!(await whatKeyOpens(around.db, token, auth))) return',
    broken: '  if (false) return',
  },
  {
    ...invitationPage,
    text: "    const wait = await countAttempt(db, 'signIn', { ...who, now })\n    if (wait)",
    broken: '    if (false as boolean)',
  },
  {
    ...rules,
    text: "  if (topic === 'backups') return seesBackups(visitor)",
    broken: "  if (topic === 'backups') return isOfTheShop(visitor)",
  },
  {
    ...rules,
    text: 'return visitor?.member?.admin === true || isAdministrator(visitor)',
    broken: 'return visitor?.member?.admin === true || isOfTheShop(visitor)',
  },
  {
    ...rules,
    text: '  if (isOfTheShop(visitor)) return true\n',
    broken: '  if (isAdministrator(visitor)) return true\n',
  },
  { ...doorsOfPeople, text: '  if (!mayManageStaff(visitor)) return []\n  const rows', broken: '  const rows' },
  { ...doorsOfInvitations, text: '  if (!mayManageStaff(visitor)) return []\n', broken: '' },
  { ...changes, text: 'if (!mayManageStaff(visitor)) return', broken: 'if (false as boolean) return' },
  {
    ...staffPage,
    text: '  if (!mayManageStaff(visitor)) return refused',
    broken: '  if (false as boolean) return refused',
  },
  { ...streams, text: "${staff ? `:${staff.role}` : ''}", broken: '' },
] satisfies Mutant[]
