import type { Mutant } from '../scripts/mutants.ts'

const rules = { file: 'app/permissions.ts', tests: ['app/permissions.test.ts'] }
const accounts = { file: 'app/accounts/accounts.server.ts', tests: ['app/accounts/accounts.test.ts'] }
const endingSessions = { ...accounts, file: 'app/accounts/end-sessions.server.ts' }
const changes = { file: 'app/accounts/account-changes.server.ts', tests: ['app/accounts/accounts.test.ts'] }
const leaving = { file: 'app/own-account/leaving.server.ts', tests: ['app/accounts/accounts.test.ts'] }
const accountPage = { file: 'app/own-account/account-page.tsx', tests: ['app/accounts/accounts.test.ts'] }
const addresses = { file: 'app/accounts/addresses.server.ts', tests: ['app/accounts/addresses.test.ts'] }
const proofs = { file: 'app/accounts/proof.server.ts', tests: ['app/accounts/proof.test.ts'] }
const devices = { file: 'app/accounts/known-device.server.ts', tests: ['app/attempts.test.ts'] }
const links = { file: 'app/accounts/mailed-links.server.ts', tests: ['app/accounts/accounts.test.ts'] }
const attempts = { file: 'app/attempts.server.ts', tests: ['app/attempts.test.ts'] }
const auth = { file: 'app/accounts/auth.server.ts', tests: ['app/accounts/accounts.test.ts'] }
const google = { file: 'app/accounts/auth.server.ts', tests: ['app/sign-in/google.test.ts'] }
const openId = { ...google, file: 'app/accounts/openid.server.ts' }
const better = { ...google, file: 'app/accounts/better-auth.server.ts' }
const registration = {
  file: 'app/members/registration.server.ts',
  tests: ['app/members/registration.server.test.ts'],
}
const editing = { ...registration, file: 'app/members/member-editing.server.ts' }
const administration = {
  file: 'app/members/administration.server.ts',
  tests: ['app/members/registration.server.test.ts'],
}
const _members = { file: 'app/members/members.server.ts', tests: ['app/members/registration.server.test.ts'] }
const imported = { file: 'app/members/imported.server.ts', tests: ['app/members/registration.server.test.ts'] }
const notices = { file: 'app/members/member-notices.server.ts', tests: ['app/members/registration.server.test.ts'] }
const drafts = { file: 'app/members/drafts.server.ts', tests: ['app/members/members.test.ts'] }
const appoint = { file: 'scripts/appoint.ts', tests: ['scripts/appoint.test.ts'] }

const roles = 'app/roles/roles.server.ts'
const administratorsOnly = 'return isAdministrator(visitor)'

export default [
  // Every rule: who may that may not, who may not that may, and a flag that is not strictly true.
  ...[
    'seesLogoutInNavigation',
    'mayManageMembers',
    'mayManageStaff',
    'mayEditContent',
    'mayEditSite',
    'mayReadInbox',
    'seesBackups',
    'mayTakeBackups',
  ].flatMap((rule) => {
    const text = `${rule}(visitor: Visitor) {\n  ${administratorsOnly}`
    return [
      { ...rules, text, broken: `${rule}(visitor: Visitor) {\n  return visitor?.member?.admin === true` },
      { ...rules, text, broken: `${rule}(visitor: Visitor) {\n  return isOfTheShop(visitor)` },
    ]
  }),
  {
    ...rules,
    text: "visitor?.member?.administrator === true || visitor?.staff?.role === 'administration'",
    broken: "Boolean(visitor?.member?.administrator) || visitor?.staff?.role === 'administration'",
  },
  {
    ...rules,
    text: "visitor?.member?.administrator === true || visitor?.staff?.role === 'administration'",
    broken: 'visitor?.member?.administrator === true || Boolean(visitor?.staff)',
  },
  {
    ...rules,
    text: "isAdministrator(visitor) || visitor?.staff?.role === 'editing'",
    broken: 'isAdministrator(visitor)',
  },
  { ...rules, text: 'visitor?.member?.id === memberId || isAdministrator', broken: 'isAdministrator' },
  {
    ...rules,
    text: 'visitor?.member?.id === memberId || isAdministrator(visitor)',
    broken: 'visitor?.member?.id === memberId',
  },
  { ...rules, text: 'visitor?.member?.admin === true && !site', broken: 'visitor?.member?.admin === true || !site' },
  { ...rules, text: ' && !site.dishesAndCalendarByStaffOnly', broken: '' },
  {
    ...rules,
    text: 'if (isOfTheShop(visitor)) return true',
    broken: 'if (isAdministrator(visitor)) return true',
  },
  {
    ...rules,
    text: 'if (site.dishesAndCalendarByStaffOnly)\n',
    broken: 'if (!site.dishesAndCalendarByStaffOnly)\n',
  },
  {
    ...rules,
    text: "${visitor ? untilApproved(visitor) : 'ログインしてください'}",
    broken: 'ログインしてください',
  },
  {
    ...rules,
    text: "collection === 'dining' ? mayEditDishesAndCalendar(visitor, site) : mayEditContent(visitor)",
    broken: 'mayEditDishesAndCalendar(visitor, site)',
  },
  {
    ...rules,
    text: "collection === 'dining' ? mayEditDishesAndCalendar(visitor, site) : mayEditContent(visitor)",
    broken: 'mayEditContent(visitor)',
  },
  {
    ...rules,
    text: "collection === 'dining' ? refusedDishesAndCalendar(visitor, site) : refusedAdministrators(visitor)",
    broken: 'refusedAdministrators(visitor)',
  },
  {
    ...rules,
    text: "collection === 'dining' ? refusedDishesAndCalendar(visitor, site) : refusedAdministrators(visitor)",
    broken: 'refusedDishesAndCalendar(visitor, site)',
  },
  {
    ...rules,
    text: "return `この操作は管理者だけが行えます。${visitor ? '' : 'ログインしてください'}`",
    broken: 'return `この操作は管理者だけが行えます。`',
  },
  {
    ...rules,
    text: "return `この操作は管理者だけが行えます。${visitor ? '' : 'ログインしてください'}`",
    broken: 'return `この操作は管理者だけが行えます。ログインしてください`',
  },
  {
    ...rules,
    text: 'mayEditContent(visitor) || mayEditDishesAndCalendar(visitor, site)\n',
    broken: 'mayEditContent(visitor)\n',
  },
  {
    ...rules,
    text: 'mayEditContent(visitor) || mayEditDishesAndCalendar(visitor, site)\n',
    broken: 'visitor !== null\n',
  },
  {
    ...rules,
    text: 'visitor?.member?.admin === true || isAdministrator(visitor)',
    broken: 'visitor?.member?.admin === true',
  },
  {
    ...rules,
    text: 'visitor?.member?.admin === true || isAdministrator(visitor)',
    broken: 'visitor?.member != null',
  },
  {
    ...rules,
    text: 'mayAnswer(visitor: Visitor) {\n  return seesMembers(visitor) && visitor?.member !== null\n',
    broken: 'mayAnswer(visitor: Visitor) {\n  return visitor?.member != null\n',
  },
  {
    ...rules,
    text: 'mayAnswer(visitor: Visitor) {\n  return seesMembers(visitor) && visitor?.member !== null\n',
    broken: 'mayAnswer(visitor: Visitor) {\n  return mayManageMembers(visitor)\n',
  },
  {
    ...rules,
    text: 'getsEveryFont(visitor: Visitor) {\n  return seesMembers(visitor) || isOfTheShop(visitor)\n',
    broken: 'getsEveryFont(visitor: Visitor) {\n  return visitor !== null\n',
  },
  { ...rules, text: "topic === 'members' || topic === 'answers'", broken: "topic === 'members'" },
  { ...rules, text: "topic === 'members' || topic === 'answers'", broken: "topic === 'answers'" },
  { ...rules, text: '? seesMembers(visitor) : true', broken: '? true : true' },
  { ...rules, text: '? seesMembers(visitor) : true', broken: '? seesMembers(visitor) : visitor !== null' },

  // Signing up
  {
    ...accounts,
    text: 'return inTransaction(around.db, (db) =>\n    withStandIn',
    broken: 'return around.db.connection().execute((db) =>\n    withStandIn',
  },
  { ...accounts, text: "? 'made' : 'taken'", broken: "? 'made' : 'made'" },
  { ...accounts, text: 'email, emailVerified: 0, image', broken: 'email, emailVerified: 1, image' },
  { ...accounts, text: "!added ? [null, ''] : kept", broken: 'kept' },
  {
    file: accounts.file,
    text: 'return inTransaction(db, async (trx) => {\n    const added',
    broken: 'return db.connection().execute(async (trx) => {\n    const added',
    equal: 'Signing up has a transaction around it; only the sample people are made without one.',
  },

  // Proving an address
  {
    ...addresses,
    tests: accounts.tests,
    text: "'/verifyemail', 'verify', account)",
    broken: "'/verifyemail', 'change', account)",
  },
  {
    ...addresses,
    text: 'verificationMail({ to: account.email, ',
    broken: "verificationMail({ to: 'other@example.jp', ",
  },
  {
    ...addresses,
    tests: ['app/accounts/accounts.test.ts'],
    text: "    .where('email', '=', email)\n    .where('emailVerified', '=', 0)\n",
    broken: '',
  },
  {
    ...addresses,
    tests: ['app/accounts/accounts.test.ts'],
    text: "    .where('emailVerified', '=', 0)\n",
    broken: '',
  },
  {
    ...addresses,
    tests: ['app/accounts/accounts.test.ts'],
    text: "        .where('id', '=', account.id)\n        .where('email', '=', account.email)\n",
    broken: '',
  },
  { ...addresses, text: '.set({ email, emailVerified, updatedAt:', broken: '.set({ email, updatedAt:' },
  { ...addresses, text: '.set({ email, emailVerified, updatedAt:', broken: '.set({ emailVerified, updatedAt:' },
  {
    ...addresses,
    text: '    if (!isConflict(error) && !(error instanceof Kept)) throw error\n',
    broken: '    throw error\n',
  },

  // A change that can be undone
  { ...addresses, text: 'other ? addressInUseMail(to) : kept', broken: 'kept' },
  { ...addresses, text: 'kept ? addressKeptMail(to) : newAddressMail', broken: 'newAddressMail' },
  { ...addresses, text: '  if (!account.emailVerified) return\n', broken: '  if (account.emailVerified) return\n' },
  { ...addresses, text: '  if (!before.emailVerified) return\n', broken: '' },
  { ...addresses, text: 'throw new Kept()', broken: 'void 0' },
  { ...addresses, text: "'undo', account)", broken: "'undo', { id, email })" },
  { ...addresses, text: "'undo', before)", broken: "'undo', { id, email })" },
  {
    ...addresses,
    text: '  await post(around, addressChangedMail({ to: before.email,',
    broken: '  await post(around, addressChangedMail({ to: email,',
  },
  { ...addresses, text: '.set({ email, emailVerified: 1, updatedAt: at })', broken: '.set({ updatedAt: at })' },
  {
    ...addresses,
    text: "is.or([is('provider', '=', 'credential'), is('createdAt', '>=', since)])",
    broken: "is('provider', '=', 'credential')",
  },
  {
    ...addresses,
    text: "is.or([is('provider', '=', 'credential'), is('createdAt', '>=', since)])",
    broken: "is('createdAt', '>=', since)",
  },
  {
    ...addresses,
    text: "      await trx.deleteFrom('sessions').where('accountId', '=', accountId).execute()\n",
    broken: '',
  },
  {
    ...links,
    tests: addresses.tests,
    text: "    .where('expiresAt', '>=', expiresAt)\n",
    broken: "    .where('expiresAt', '<', expiresAt)\n",
  },
  { ...addresses, text: '  if (back) await endWaysBack(db, id, back)\n', broken: '' },
  {
    ...addresses,
    text: "back ? null : await linkTo(around, '/undoaddress', 'undo', before)",
    broken: "await linkTo(around, '/undoaddress', 'undo', before)",
  },
  {
    ...addresses,
    text: "back ? null : await linkTo(around, '/undoaddress', 'undo', account)",
    broken: "await linkTo(around, '/undoaddress', 'undo', account)",
  },
  { ...addresses, text: '      if (before.email !== email) {', broken: '      if (before.email === email) {' },
  { ...addresses, tests: proofs.tests, text: "if (!(await stillProven(db))) return 'refused'", broken: '' },

  // What was proven, and holds no more
  { ...proofs, text: 'return session !== undefined && ', broken: 'return ' },
  {
    ...proofs,
    file: 'server/handlers/pages.ts',
    text: 'request.body ? asking.again(c) : c.var.auth',
    broken: 'c.var.auth',
  },
  {
    ...accounts,
    text: '    await endSessions(trx, accountId)\n    await tellOfNewPassword',
    broken: '    await tellOfNewPassword',
  },
  {
    ...accounts,
    text: '    await endSessions(db, accountId)\n    await tellOfNewPassword',
    broken: '    await tellOfNewPassword',
  },
  {
    file: 'app/sign-in/undo-address-page.tsx',
    text: '  context.get(liveKey).endStreamsOf(undone.accountId)\n',
    broken: '',
    tests: addresses.tests,
  },

  // A forgotten password
  {
    ...accounts,
    text: ".select(['id', 'emailVerified'])\n      .where('email', '=', email)\n",
    broken: ".select(['id', 'emailVerified'])\n",
  },
  {
    ...accounts,
    text: "'reset', { id: mayBeMailed",
    broken: "'verify', { id: mayBeMailed",
  },
  { ...accounts, text: "mayBeMailed ? '' : mail", broken: "''" },
  { ...addresses, text: 'id: other || kept ? standIn : id', broken: 'id' },
  { ...auth, text: "  if (!(await verifyPassword({ password, hash: proof }))) return 'refused'\n", broken: '' },
  ...(
    [
      ['app/accounts/password-hash.server.ts', 'hash ?? NO_HASH', "hash ?? ''"],
      [
        'app/accounts/accounts.server.ts',
        "await trx.deleteFrom('accounts').where('id', '=', unwanted)",
        "if (unwanted) await trx.deleteFrom('accounts').where('id', '=', unwanted)",
      ],
      ['app/accounts/accounts.server.ts', 'const owner = made ?? standIn', 'const owner = made'],
    ] as const
  ).map(([file, text, broken]) => ({ file, text, broken, tests: ['app/accounts/equal-work.test.ts'] })),
  {
    file: accounts.file,
    text: "      .where('email', '=', email)\n      .returning('id')",
    broken: "      .returning('id')",
    equal: 'With the address that it went to, a link ends.',
  },
  { ...accounts, text: '.set({ emailVerified: 1, updatedAt: at })', broken: '.set({ updatedAt: at })' },

  // Other devices
  {
    ...endingSessions,
    text: ".where('accountId', '=', accountId).where('id', '!=', except)",
    broken: ".where('accountId', '=', accountId)",
  },
  {
    ...endingSessions,
    text: ".where('accountId', '=', accountId).where('id', '!=', except)",
    broken: ".where('id', '!=', except)",
  },
  {
    ...accountPage,
    text: '{ ...device, except: session.id })\n      context.get(liveKey).endStreamsOf(session.accountId)\n',
    broken: '{ ...device, except: session.id })\n',
  },
  {
    ...accounts,
    text: "    .where('createdAt', '>', new Date(now - SESSION_LASTS_AT_MOST).toISOString())\n",
    broken: '',
  },

  // Erasing an account
  { ...accounts, text: "    await trx.deleteFrom('onceKeys').where('owner', '=', accountId).execute()\n", broken: '' },
  {
    ...accounts,
    text: "deleteFrom('onceKeys').where('owner', '=', accountId)",
    broken: "deleteFrom('onceKeys')",
  },
  { ...accounts, text: ".where('about', 'is', null).where('to', '=', email)", broken: ".where('to', '=', email)" },
  {
    ...accounts,
    text: ".where('about', 'is', null).where('to', '=', email)",
    broken: ".where('about', 'is', null)",
  },
  {
    ...accounts,
    text: "    await trx.deleteFrom('accounts').where('id', '=', accountId).execute()\n",
    broken: '',
  },

  // What the circle asks of the accounts
  { ...accounts, text: "'email']).where('emailVerified', '=', 1)\n", broken: "'email'])\n" },
  { ...accounts, text: "proven.where('id', 'in', ids).execute()", broken: 'proven.execute()' },

  // The forms of the account's page
  {
    ...changes,
    tests: attempts.tests,
    text: '  const wait = await countPassword(context, accountId)\n  if (wait) return answer(429, { trouble: tooManyTries(wait) })\n  if (!(await',
    broken: '  if (!(await',
  },
  {
    ...changes,
    text: '  context.get(liveKey).endStreamsOf(accountId)\n  return answer(200',
    broken: '  return answer(200',
  },
  {
    ...changes,
    tests: attempts.tests,
    text: '  const wait = await countPassword(context, accountId)\n  if (wait) return { refusal',
    broken: '  const wait = 0\n  if (wait) return { refusal',
  },
  {
    ...changes,
    tests: addresses.tests,
    text: 'await provePassword(context.get(dbKey), accountId, current)',
    broken: "{ hash: '' }",
  },
  {
    ...changes,
    tests: attempts.tests,
    text: 'await countMail(context, email)',
    broken: 'null',
  },
  { ...changes, tests: addresses.tests, text: 'wait ?? countMailTo(context, email)', broken: 'wait' },
  ...(
    [
      ['wait ?? countMailTo(context, email)', 'wait'],
      ['const who = { account: email,', 'const who = {'],
      ["email.replace(/\\+[^@]*/, '')", 'email'],
    ] as const
  ).map(([text, broken]) => ({
    file: 'app/accounts/around.server.ts',
    text,
    broken,
    tests: [...addresses.tests, ...attempts.tests],
  })),
  {
    file: 'app/accounts/new-account.server.ts',
    text: 'await countMailTo(context, email)',
    broken: 'null',
    tests: addresses.tests,
  },
  {
    ...changes,
    tests: addresses.tests,
    text: 'id: accountId, email })',
    broken: "id: accountId, email: 'a@example.jp' })",
  },
  { ...changes, tests: addresses.tests, text: 'if (email === session.email) return', broken: 'if (!email) return' },
  {
    ...changes,
    tests: addresses.tests,
    text: 'context.get(authKey).verifies ? await countNewAddress(context, session.accountId, email) : null',
    broken: 'null',
  },
  {
    ...changes,
    tests: attempts.tests,
    text: '  await auth.rememberDevice({ accountId, id: session.id })\n',
    broken: '',
  },
  {
    ...leaving,
    text: 'await inTransaction(db, async (trx) => {\n',
    broken: 'await db.connection().execute(async (trx) => {\n',
  },
  {
    ...leaving,
    tests: attempts.tests,
    text: 'await askPassword(context, accountId, read.value.current)',
    broken: '{ proof: { hash: null }, refusal: undefined }',
  },
  {
    ...leaving,
    text: '  await context\n    .get(authKey)\n    .signOut()\n    .catch(() => {})\n',
    broken: '',
  },
  { ...better, text: 'if (call.error) throw call.error', broken: '', tests: ['server/failing.test.ts'] },
  { ...better, text: 'throw call.error ?? error', broken: 'throw error', tests: ['server/failing.test.ts'] },
  {
    ...changes,
    tests: attempts.tests,
    text: "return countAttempt(context.get(dbKey), 'password', { account: accountId, address,",
    broken: "return countAttempt(context.get(dbKey), 'password', { address,",
  },
  {
    file: 'app/accounts/new-account.server.ts',
    text: "'signUp', { account: email,",
    broken: "'signUp', {",
    tests: attempts.tests,
  },
  {
    file: 'app/sign-in/reset-page.tsx',
    text: 'await countMail(context, email)',
    broken: 'null',
    tests: attempts.tests,
  },
  {
    file: 'app/sign-in/email-login-page.tsx',
    text: "  await forgetAttempts(db, 'signIn', who)\n",
    broken: '',
    tests: attempts.tests,
  },

  // Devices and sessions
  { ...devices, text: "select('id').where('email', '=', email)", broken: "select('id')" },
  { ...devices, text: "filter((mark) => isOf(mark, hash ?? '', secret))", broken: 'filter(() => true)' },
  { ...devices, text: '${text} ${hash}', broken: '${text}' },
  { ...devices, text: '`device ${text} ', broken: '`device ' },
  { ...devices, text: '`name ${id}`', broken: '`name ${Math.random()}`' },
  { ...devices, text: '`name ${id}`', broken: "'name'" },
  { ...attempts, text: 'devices: 12', broken: 'devices: 120' },
  {
    file: 'app/sign-in/reset-page.tsx',
    text: '  await context.get(authKey).rememberDevice({ accountId })\n',
    broken: '',
    tests: attempts.tests,
  },
  { ...auth, tests: attempts.tests, text: 'now?.email === email ? now.id : ', broken: '' },
  { ...auth, tests: attempts.tests, text: 'now?.email === email ? now.id : ', broken: 'now ? now.id : ' },
  { ...google, text: 'if (holds) await endEarlier(settings, earlier)\n', broken: 'if (holds);\n' },
  {
    ...google,
    text: 'signedIn.test(cookie))) await endEarlier(settings, earlier)',
    broken: 'signedIn.test(cookie)));',
  },
  {
    ...google,
    text: 'if (answer.headers.getSetCookie().some((cookie) => signedIn.test(cookie))) await',
    broken: 'await',
  },
  { ...google, text: ') onSessionEnded(earlier.accountId)', broken: ') void 0' },
  { ...auth, text: '> SESSION_LASTS_AT_MOST', broken: '> 2 * SESSION_LASTS_AT_MOST' },
  { ...better, text: "userId: 'owner' }", broken: "userId: 'accountId' }" },

  // Signing in and out
  {
    ...better,
    tests: auth.tests,
    text: 'requireEmailVerification: verifies',
    broken: 'requireEmailVerification: false',
  },
  {
    file: better.file,
    text: 'disableSignUp: true',
    broken: 'disableSignUp: false',
    equal: 'Nothing of its own is answered but the way back from Google.',
  },
  { ...better, text: 'requireLocalEmailVerified: true', broken: 'requireLocalEmailVerified: false' },
  { ...better, text: 'accessToken: null, refreshToken: null, idToken: null } }),', broken: '} }),' },
  { ...better, text: '        if (methods.length < 2) return\n', broken: '' },
  { ...better, text: 'await onGoogleAdded((await account.executeTakeFirstOrThrow()).email, origin)', broken: '' },
  { ...openId, text: 'email_verified === true', broken: 'email_verified' },
  { ...openId, text: 'if (data.sub !== claims.sub)', broken: 'if (false)' },
  {
    file: openId.file,
    text: 'if (payload.nonce !== expectedIdTokenNonce)',
    broken: 'if (false)',
    equal: 'PKCE and the state bind it too.',
  },
  { ...openId, text: '      failedAt = clock()\n', broken: '' },
  { ...openId, text: 'plugin ??= makePlugin()', broken: 'plugin = makePlugin()' },
  { ...openId, text: 'cleanLine(typeof name', broken: '(typeof name' },
  {
    file: 'server/handlers/google-start.ts',
    text: "await countAttempt(db, 'google', { address: auth.address, now: clock() })",
    broken: 'false',
    tests: ['app/sign-in/google.test.ts'],
  },
  {
    file: 'app/sign-in/logout-page.tsx',
    text: '  await context.get(authKey).signOut()\n',
    broken: '',
    tests: ['app/accounts/accounts.test.ts'],
  },
  {
    file: 'app/sign-in/logout-page.tsx',
    text: '  if (visitor) context.get(liveKey).endStreamsOf(visitor.accountId)\n',
    broken: '',
    tests: ['app/accounts/accounts.test.ts'],
  },

  // Links in mails
  {
    ...links,
    text: 'is.and({ accountId: link.accountId, purpose: link.purpose })',
    tests: addresses.tests,
    broken: 'is.and({ accountId: link.accountId })',
  },
  {
    ...links,
    text: 'is.and({ accountId: link.accountId, purpose: link.purpose })',
    broken: 'is.and({ purpose: link.purpose })',
  },
  { ...links, text: 'reset: HOUR,', broken: 'reset: 24 * HOUR,' },
  { ...links, text: 'verify: 24 * HOUR', broken: 'verify: HOUR' },

  { ...links, tests: addresses.tests, text: ".and('purpose', '!=', 'undo')", broken: '' },
  { ...links, tests: addresses.tests, text: 'undo: 7 * 24 * HOUR', broken: 'undo: 24 * HOUR' },
  { ...links, tests: addresses.tests, text: ".where('purpose', '!=', 'undo').execute()", broken: '.execute()' },
  { ...links, tests: addresses.tests, text: ".where('accountId', '!=', except)", broken: '' },

  // Tries
  { ...attempts, text: '...(own && limit.account ? [{ who: own, most: limit.account }] : []),', broken: '' },
  {
    ...attempts,
    text: 'who: `network ${networkOf(who.address ?? null)}`',
    broken: 'who: `network ${who.address}`',
  },
  { ...attempts, text: 'limit.network && !who.device', broken: 'limit.network' },
  { ...attempts, text: '  if (device) return `device ${device}`\n', broken: '' },
  { ...attempts, text: 'most: limit.account }', broken: 'most: limit.network ?? 0 }' },
  { ...attempts, text: 'most: limit.network }', broken: 'most: limit.account ?? 0 }' },
  {
    file: attempts.file,
    text: '`account ${account.toLowerCase()}`',
    broken: '`account ${account}`',
    equal: 'Every form makes its address small before it counts.',
  },
  { ...attempts, text: 'count > most', broken: 'count >= most' },
  { ...attempts, text: 'then ${until} else attempts.until end', broken: 'then ${until} else ${until} end' },
  { ...attempts, text: 'then 1 else attempts.count + 1', broken: 'then attempts.count + 1 else attempts.count + 1' },
  {
    ...attempts,
    text: 'count: sql`case when attempts.until <= ${at}',
    broken: 'count: sql`case when attempts.until < ${at}',
  },
  {
    ...attempts,
    text: '  if (begins) await forgetEnded(db, now)\n',
    broken: '',
  },
  { ...attempts, text: 'ended.forUpdate().skipLocked()', broken: 'ended' },
  {
    ...attempts,
    text: "    .where('key', '=', keyOf(kind, ownName(who) ?? ''))\n",
    broken: '',
  },
  { ...attempts, text: "createHash('sha256').update(who).digest('base64url')", broken: 'who' },

  // Registering with the circle
  {
    ...registration,
    text: "if (earlier && earlier.deletedAt === null) return { state: 'there already', id: earlier.id }",
    broken: '',
  },
  { ...registration, text: '{ ...own, deletedAt: null }', broken: 'own' },
  { ...registration, text: 'admin: first ? 1 : 0 }', broken: 'admin: earlier ? earlier.admin : first ? 1 : 0 }' },
  {
    ...registration,
    text: 'const provenAddress = visitor.emailVerified ? visitor.email : null',
    broken: 'const provenAddress = visitor.email',
  },
  { ...registration, text: '  if (!mayManageMembers(visitor)) return null\n', broken: '' },
  { ...registration, text: '{ administrator: 0, admin: approved ? 1 : 0 }', broken: '{ administrator: 0, admin: 1 }' },
  {
    ...registration,
    text: '{ administrator: 0, admin: approved ? 1 : 0 }',
    broken: '{ administrator: approved ? 1 : 0, admin: approved ? 1 : 0 }',
  },
  {
    ...registration,
    text: 'if ((addressMustBeProven || ownerEmail) && !visitor.emailVerified) return false',
    broken: 'if (ownerEmail && !visitor.emailVerified) return false',
  },
  {
    ...registration,
    text: 'if ((addressMustBeProven || ownerEmail) && !visitor.emailVerified) return false',
    broken: 'if (addressMustBeProven && !visitor.emailVerified) return false',
  },
  { ...registration, text: 'visitor.email.toLowerCase() ===', broken: 'visitor.email ===' },
  { ...registration, text: '=== ownerEmail.toLowerCase()', broken: '=== ownerEmail' },
  {
    ...registration,
    text: ": !(await trx.selectFrom('members').select('id').limit(1).executeTakeFirst())",
    broken: ': true',
  },
  { ...registration, file: roles, text: 'return marked !== undefined\n', broken: 'return true\n' },
  { ...editing, text: '  if (!mayEditMember(visitor, id)) return null\n', broken: '' },
  {
    ...editing,
    text: 'const flags = mayManageMembers(visitor) ? given.flags : null',
    broken: 'const flags = given.flags',
  },
  {
    file: 'app/members/member-confirm-page.tsx',
    text: 'if (draftHash && draftHash !== hashDraft(drafting.draft))',
    broken: 'if (!draftHash && draftHash !== hashDraft(drafting.draft))',
    tests: ['app/members/members.test.ts'],
  },
  {
    file: 'app/members/member-confirm-page.tsx',
    text: 'if (owner) await dropDraft(db, owner, subject)',
    broken: '',
    tests: drafts.tests,
  },
  {
    file: 'app/members/member-confirm-page.tsx',
    text: 'const base = overwrites && record ? record.version : drafting.base',
    broken: 'const base = record ? record.version : drafting.base',
    tests: drafts.tests,
  },

  // Managing members
  { ...administration, text: '    await markFirstAdministrator(trx, at)\n', broken: '' },
  {
    ...administration,
    text: "    await trx.deleteFrom('memberDrafts').where('owner', '=', accountId).execute()\n",
    broken: '',
    tests: ['app/accounts/accounts.test.ts'],
  },
  {
    ...administration,
    text: "    await trx.deleteFrom('memberDrafts').where('subject', '=', row.id).execute()\n",
    broken: '',
    tests: ['app/accounts/accounts.test.ts'],
  },
  {
    ...administration,
    text: ".where('subject', '=', 'member').where('subjectId', '=', row.id)",
    broken: ".where('subject', '=', 'member')",
  },
  {
    ...administration,
    text: "    await trx.deleteFrom('answers').where('memberId', '=', row.id).execute()\n",
    broken: '',
    tests: ['app/participation/answers.test.ts'],
  },
  {
    ...administration,
    text: ".where('subjectId', 'like', `%/${row.id}`)",
    broken: ".where('subjectId', 'like', `${row.id}`)",
    tests: ['app/participation/answers.test.ts'],
  },

  // Saving a member

  // Records of an older site
  {
    ...imported,
    text: '  if (!visitor.emailVerified) return null\n',
    broken: '',
    tests: ['server/import/import.test.ts'],
  },
  {
    ...imported,
    text: '  if (waiting.length !== 1) return null\n',
    broken: '',
    tests: ['server/import/import.test.ts'],
  },
  { ...imported, text: '    .where(({ not, exists }) => not(exists(own)))\n', broken: '' },
  { ...imported, text: "    .where('nonMemberId', 'is', null)\n", broken: '', tests: ['server/import/import.test.ts'] },
  {
    file: 'server/import/import-members.ts',
    text: 'administrator: flag && !nonMemberId ? 1 : 0',
    broken: 'administrator: flag ? 1 : 0',
    tests: ['server/import/import.test.ts'],
  },
  {
    file: 'server/import/import-members.ts',
    text: "flagOf(fields, 'admin', note) ? 1 : 0",
    broken: 'fields.admin ? 1 : 0',
    tests: ['server/import/import.test.ts'],
  },

  // Who is told
  {
    ...notices,
    file: roles,
    text: "db.selectFrom('members').where('administrator', '=', 1)",
    broken: "db.selectFrom('members')",
  },
  {
    ...notices,
    file: roles,
    text: "administrators.where('accountId', 'is not', null).where('deletedAt', 'is', null)",
    broken: "administrators.where('accountId', 'is not', null)",
  },
  { ...notices, text: '.filter((other) => other !== accountId)', broken: '' },
  { ...notices, text: '[...proven.values()] : recipients.shop', broken: '[...proven.values()] : false' },
  {
    ...notices,
    text: '  if (before.admin === 1 || after.admin === 0) return null\n',
    broken: '  if (before.admin === 1) return null\n',
  },
  {
    ...notices,
    text: '  if (before.admin === 1 || after.admin === 0) return null\n',
    broken: '  if (after.admin === 0) return null\n',
  },

  // Drafts
  { ...drafts, text: ".where('memberDrafts.updatedAt', '<=', draft.updatedAt)", broken: '' },
  {
    ...drafts,
    text: ".doUpdateSet({ fields: draft.fields, updatedAt: draft.updatedAt })\n            .where('memberDrafts.updatedAt', '<=', draft.updatedAt)",
    broken: '.doNothing()',
  },
  {
    ...drafts,
    text: "    await trx.deleteFrom('memberDrafts').where('owner', '=', guestOwner(token)).execute()\n",
    broken: '',
  },
  {
    ...drafts,
    text: "    await trx.deleteFrom('memberDrafts').where('updatedAt', '<=', expiry(now)).execute()\n",
    broken: '',
  },
  { ...drafts, text: '    if (fields.length > MOST_CHARACTERS) return false\n', broken: '' },
  {
    ...drafts,
    text: 'const draft: MemberDraft = { ...(await readDraft(trx, owner, subject, now)) }',
    broken: 'const draft: Draft = {}',
  },
  {
    ...drafts,
    text: "deleteFrom('memberDrafts').where('owner', '=', owner).where('subject', '=', subject)",
    broken: "deleteFrom('memberDrafts').where('owner', '=', owner)",
  },
  {
    ...drafts,
    text: "deleteFrom('memberDrafts').where('owner', '=', owner).where('subject', '=', subject)",
    broken: "deleteFrom('memberDrafts').where('subject', '=', subject)",
  },

  // By whoever runs the server
  { ...appoint, text: "  .where('email', '=', mail)\n", broken: '' },
  { ...appoint, text: "cleanEmail(process.argv[2] ?? '').toLowerCase()", broken: 'process.argv[2]' },
  { ...appoint, text: 'if (!account.emailVerified)', broken: 'if (account.emailVerified)' },
  {
    file: 'app/sign-in/email-login-page.tsx',
    text: 'refuse(tooOften ? UNPROVEN : UNPROVEN_AND_MAILED, 403)',
    broken: 'refuse(UNPROVEN_AND_MAILED, 403)',
    tests: ['app/accounts/accounts.test.ts'],
  },
] satisfies Mutant[]
