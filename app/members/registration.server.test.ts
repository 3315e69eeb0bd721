import { expect, test } from 'vitest'
import type { Db, MemberRow } from '../../db/tables.ts'
import { onEachEngine } from '../../db/testing.ts'
import { overtaken } from '../../db/testing-at-once.ts'
import { inTransaction } from '../../db/transaction.ts'
import { often } from '../../scripts/abuse.ts'
import type { OutgoingMail } from '../mail/mailer.server.ts'
import type { Visitor } from '../permissions.ts'
import { revert as revertRecord } from '../records/undo.server.ts'
import { LastAdministrator, readRoles } from '../settings/roles.server.ts'
import { appointAdministrator, eraseMember, type MemberAction, manageMember } from './administration.server.ts'
import { addImportedMember, adoptImportedMember } from './imported.server.ts'
import { type MemberFields, memberFieldNames } from './member.ts'
import { editMember } from './member-editing.server.ts'
import { AccountnameTaken, memberRecord } from './member-record.server.ts'
import { registerMember, registerNonMember } from './registration.server.ts'

const at = '2026-11-20T03:00:00.000Z'
const createFields = (accountname: string, changes: Partial<MemberFields> = {}) =>
  ({
    ...Object.fromEntries(memberFieldNames.map((name) => [name, `${name}のこと`])),
    username: accountname,
    accountname,
    email: 'typed@example.jp',
    ...changes,
  }) as MemberFields

type SignedIn = NonNullable<Visitor>
const createAccount = (name: string): SignedIn => ({
  accountId: `account-${name}`,
  name,
  email: `${name}@example.jp`,
  emailVerified: true,
  member: null,
  staff: null,
})

function createCircle(db: Db) {
  const mails: OutgoingMail[] = []
  const unverified = new Set<string>()
  const notices = {
    notify: async (message: OutgoingMail) => void mails.push(message),
    readVerifiedEmails: async (ids: string[]) =>
      new Map(ids.filter((id) => !unverified.has(id)).map((id) => [id, `${id.slice('account-'.length)}@example.jp`])),
    origin: 'https://example.jp',
  }
  const rules = { ownerEmail: undefined as string | undefined, requiresVerifiedEmail: false }
  const form = (visitor: Visitor, key = '') => ({ owner: visitor?.accountId ?? '', form: 'member', key, at })
  const register = (visitor: SignedIn, changes = createFields(visitor.name), key = '') =>
    registerMember(db, visitor, changes, { form: form(visitor, key), rules, around: notices })
  const asMember = async (visitor: SignedIn) => ({ ...visitor, ...(await readRoles(db, visitor.accountId)) })
  const manage = async (visitor: Visitor, id: string, deed: MemberAction, connection: Db = db) =>
    manageMember(connection, visitor, id, deed, { at, around: notices })
  const revert = (visitor: Visitor, revisionId: string) =>
    revertRecord(db, memberRecord, revisionId, { accountId: visitor?.accountId ?? null, at })
  const edit = (visitor: Visitor, id: string, changes: Parameters<typeof editMember>[3]) =>
    editMember(db, visitor, id, changes, { form: form(visitor), around: notices })
  return { mails, unverified, around: notices, rules, form, register, asMember, manage, revert, edit }
}

const rowOf = (db: Db, id: string) =>
  db.selectFrom('members').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const countAdministrators = async (db: Db) =>
  (await db.selectFrom('members').select('id').where('administrator', '=', true).execute()).length

const revisionsOf = async (db: Db, id: string) => {
  const revisions = await db.selectFrom('revisions').selectAll().where('subjectId', '=', id).execute()
  const version = ({ after }: { after: string | null }) => JSON.parse(after ?? '').version
  return revisions.sort((a, b) => version(a) - version(b))
}

/** Adds a member that was imported from an older site. Returns the ID of the member. */
async function addImported(db: Db, accountname: string, changes: Partial<MemberRow> = {}) {
  const id = `imported-${accountname}`
  const row = {
    id,
    ...createFields(accountname),
    nonMemberId: null,
    administrator: false,
    admin: false,
    birthday: null,
  } as const
  const emptyColumns = { realname: null, createdAt: at, updatedAt: at }
  await inTransaction(db, (trx) =>
    addImportedMember(trx, { ...row, ...emptyColumns, ...changes }, { accountId: null, at }),
  )
  return id
}

async function registerTwoMembers(db: Db) {
  const context = createCircle(db)
  const first = await context.register(createAccount('yui'))
  const second = await context.register(createAccount('hana'))
  context.mails.length = 0
  return {
    ...context,
    yui: await context.asMember(createAccount('yui')),
    hana: await context.asMember(createAccount('hana')),
    yuiId: first.id,
    hanaId: second.id,
  }
}

onEachEngine((fresh) => {
  test('makes only the first member an approved administrator', async () => {
    const db = await fresh()
    const { yuiId, hanaId } = await registerTwoMembers(db)
    expect(await rowOf(db, yuiId)).toMatchObject({
      administrator: true,
      admin: true,
      accountId: 'account-yui',
      version: 1,
    })
    expect(await rowOf(db, hanaId)).toMatchObject({
      administrator: false,
      admin: false,
      nonMemberId: null,
      birthday: null,
    })
    const revisions = await db.selectFrom('revisions').selectAll().where('subject', '=', 'member').execute()
    expect(revisions.map(({ subjectId }) => subjectId).sort()).toEqual([yuiId, hanaId].sort())
    for (const { action, before } of revisions) expect([action, before]).toEqual(['add', null])
  })

  test('makes one account administrator when fifty accounts register concurrently', async () => {
    const db = await fresh()
    for (let round = 0; round < often(3, 20); round++) {
      await db.deleteFrom('members').execute()
      await db.deleteFrom('marks').execute()
      const { register } = createCircle(db)
      const results = await Promise.all(Array.from({ length: 50 }, (_, index) => register(createAccount(`a${index}`))))
      expect(results.filter((result) => result.isNew)).toHaveLength(50)
      expect(results.filter((result) => result.isNew && result.first)).toHaveLength(1)
      expect(await countAdministrators(db)).toBe(1)
    }
  })

  test('appoints no other first administrator when all members have been deleted', async () => {
    const db = await fresh()
    const { register } = await registerTwoMembers(db)
    await db.deleteFrom('members').execute()
    expect(await register(createAccount('ken'))).toMatchObject({ isNew: true, first: false })
    expect(await countAdministrators(db)).toBe(0)
  })

  test('appoints no first administrator when an unverified account was the first to register', async () => {
    const db = await fresh()
    const { register, rules } = createCircle(db)
    rules.requiresVerifiedEmail = true
    expect(await register({ ...createAccount('ken'), emailVerified: false })).toMatchObject({ first: false })
    expect(await register(createAccount('yui'))).toMatchObject({ isNew: true, first: false })
    expect(await countAdministrators(db)).toBe(0)
  })

  test('lets only the verified owner become first administrator when an owner e-mail is set', async () => {
    const db = await fresh()
    const { register, rules } = createCircle(db)
    rules.ownerEmail = 'Owner@example.jp'
    expect(await register(createAccount('stranger'))).toMatchObject({ first: false })
    expect(
      await register(
        { ...createAccount('owner'), accountId: 'account-thief', emailVerified: false },
        createFields('thief'),
      ),
    ).toMatchObject({ first: false })
    expect(await register({ ...createAccount('owner'), email: 'OWNER@example.jp' })).toMatchObject({ first: true })
    expect(await countAdministrators(db)).toBe(1)
  })

  test('registers only one of two concurrent members when their account names differ only in width or letter case', async () => {
    const db = await fresh()
    const { register } = createCircle(db)
    for (const [one, other] of [
      ['Ken', 'ken'],
      ['ハナ', 'ﾊﾅ'],
      ['ＹＵＩ', 'yui'],
      ['翔', ' 翔\u3000'],
    ] as const) {
      const both = await Promise.allSettled([
        register(createAccount(`${one}1`), createFields(one)),
        register(createAccount(`${one}2`), createFields(other)),
      ])
      const [refused, ...others] = both.filter(({ status }) => status === 'rejected')
      expect(refused, one).toMatchObject({ reason: expect.any(AccountnameTaken) })
      expect(others, one).toEqual([])
    }
    expect(await db.selectFrom('members').select('id').execute()).toHaveLength(4)
  })

  test('stores one record when an account registers twice concurrently', async () => {
    const db = await fresh()
    const { register } = createCircle(db)
    const results = await Promise.all([
      register(createAccount('yui'), createFields('一')),
      register(createAccount('yui'), createFields('二')),
    ])
    expect(results.map(({ isNew }) => isNew).sort()).toEqual([false, true])
    expect(await db.selectFrom('members').select('id').execute()).toHaveLength(1)
  })

  test('returns the first result without another e-mail when a form is repeated', async () => {
    const db = await fresh()
    const { register, mails } = createCircle(db)
    const results = await Promise.all([
      register(createAccount('yui'), createFields('結'), 'key'),
      register(createAccount('yui'), createFields('結'), 'key'),
    ])
    const repeatedResult = await register(createAccount('yui'), createFields('結'), 'key')
    expect(results[0]).toMatchObject({ isNew: true, first: true })
    expect([results[1], repeatedResult]).toEqual([results[0], results[0]])
    expect(mails).toHaveLength(1)
    // Two accounts may use the same idempotency key.
    expect(await register(createAccount('hana'), createFields('花'), 'key')).toMatchObject({
      isNew: true,
      first: false,
    })
  })

  test('notifies the new member and the verified administrators of a registration', async () => {
    const db = await fresh()
    const { register, mails, unverified } = createCircle(db)
    await register(createAccount('yui'))
    expect(mails.map(({ to }) => to)).toEqual(['yui@example.jp'])
    await register(createAccount('hana'))
    expect(mails.slice(1).map(({ to }) => to)).toEqual(['yui@example.jp', 'hana@example.jp'])
    unverified.add('account-yui')
    await register({ ...createAccount('ken'), emailVerified: false })
    expect(mails).toHaveLength(3)
    // An administrator in the bin receives no e-mail.
    await db.updateTable('members').set({ administrator: true, deletedAt: at }).where('username', '=', 'hana').execute()
    await register({ ...createAccount('jun'), emailVerified: false })
    expect(mails).toHaveLength(3)
    const { recipients, ...site } = { recipients: { shop: 'shop@example.jp', circle: '', portfolio: '' } }
    await db
      .insertInto('site')
      .values({ id: 'site', version: 1, facts: JSON.stringify({ recipients, ...site }), updatedAt: at })
      .execute()
    await register({ ...createAccount('sho'), emailVerified: false })
    expect(mails.slice(3).map(({ to }) => to)).toEqual(['shop@example.jp'])
    // E-mails go to the verified addresses and to the shop, but never to the unverified address in the form.
    expect(JSON.stringify(mails)).not.toContain('typed@example.jp')
    expect(mails[1]?.text).toContain('hana')
    expect(mails[1]?.html).toContain('<a href="https://example.jp/memberlist">')
  })

  test('notifies a member of each new approval', async () => {
    const db = await fresh()
    const { yui, hanaId, manage, edit, mails, unverified } = await registerTwoMembers(db)
    expect(await manage(yui, hanaId, 'approve')).toMatchObject({ ok: { mail: 'sent' } })
    expect(await manage(yui, hanaId, 'approve')).toMatchObject({ ok: { mail: null } })
    expect(mails.map(({ to, subject }) => [to, subject])).toEqual([
      ['hana@example.jp', '【お店】メンバー登録が承認されました'],
    ])
    expect(await rowOf(db, hanaId)).toMatchObject({ admin: true, version: 2 })
    await manage(yui, hanaId, 'withdraw')
    expect(mails).toHaveLength(1)
    const changes = { fields: createFields('hana'), flags: { administrator: false, admin: true } }
    for (const base of [3, 4]) expect((await edit(yui, hanaId, { ...changes, base })).error).toBeUndefined()
    expect(mails.map(({ to }) => to)).toEqual(['hana@example.jp', 'hana@example.jp'])
    expect(await rowOf(db, hanaId)).toMatchObject({ admin: true, version: 4 })
    await manage(yui, hanaId, 'withdraw')
    unverified.add('account-hana')
    expect(await manage(yui, hanaId, 'approve')).toMatchObject({ ok: { mail: 'unsent' } })
    expect(mails).toHaveLength(2)
    // The history contains each change and its author.
    const [addition, ...revisions] = await revisionsOf(db, hanaId)
    expect(addition).toMatchObject({ action: 'add', accountId: 'account-hana' })
    expect(revisions.map(({ action }) => action)).toEqual(['approve', 'withdraw', 'edit', 'withdraw', 'approve'])
    for (const { accountId } of revisions) expect(accountId).toBe('account-yui')
  })

  test('rejects every action on members when the visitor is no administrator', async () => {
    const db = await fresh()
    const { hana, yuiId, hanaId, manage, form } = await registerTwoMembers(db)
    for (const deed of [
      'approve',
      'withdraw',
      'make administrator',
      'unmake administrator',
      'delete',
      'restore',
    ] as const) {
      for (const visitor of [null, createAccount('ken'), hana]) {
        await expect(manage(visitor, hanaId, deed)).rejects.toThrow('この操作は管理者だけが行えます。')
        await expect(manage(visitor, yuiId, deed)).rejects.toThrow('この操作は管理者だけが行えます。')
      }
    }
    await expect(
      registerNonMember(db, hana, createFields('誰か'), { form: form(hana), approved: true }),
    ).rejects.toThrow('この操作は管理者だけが行えます。')
    expect(await rowOf(db, hanaId)).toMatchObject({ administrator: false, admin: false, version: 1, deletedAt: null })
    expect(await rowOf(db, yuiId)).toMatchObject({ administrator: true, version: 1, deletedAt: null })
    expect(await db.selectFrom('members').select('id').execute()).toHaveLength(2)
  })

  test('rejects every action that would remove the last administrator', async () => {
    const db = await fresh()
    const { yui, yuiId, hanaId, manage, edit } = await registerTwoMembers(db)
    // A member in the bin or without an account does not count as the other administrator.
    await addImported(db, 'kiku', { administrator: true })
    await manage(yui, hanaId, 'make administrator')
    await manage(yui, hanaId, 'delete')
    await expect(manage(yui, yuiId, 'unmake administrator')).rejects.toThrow(LastAdministrator)
    await expect(manage(yui, yuiId, 'delete')).rejects.toThrow(LastAdministrator)
    const flags = { administrator: false, admin: true }
    await expect(edit(yui, yuiId, { fields: createFields('yui'), flags, base: 1 })).rejects.toThrow(LastAdministrator)
    await expect(eraseMember(db, 'account-yui', at)).rejects.toThrow(LastAdministrator)
    expect(await rowOf(db, yuiId)).toMatchObject({ administrator: true, deletedAt: null, version: 1 })
  })

  test('leaves one administrator when two administrators remove each other concurrently', async () => {
    const db = await fresh()
    const { yui, yuiId, hanaId, manage, asMember } = await registerTwoMembers(db)
    // The earlier changes create the rows that both requests lock.
    for (const deed of ['make administrator', 'unmake administrator', 'make administrator'] as const) {
      await manage(yui, hanaId, deed)
    }
    const hana = await asMember(createAccount('hana'))
    const secondResult = overtaken(
      db,
      (trx) => manage(yui, hanaId, 'unmake administrator', trx),
      () => manage(hana, yuiId, 'unmake administrator'),
    )
    await expect(secondResult).rejects.toThrow(LastAdministrator)
    expect(await countAdministrators(db)).toBe(1)
  })

  test('merges two concurrent changes to different fields of a record', async () => {
    const db = await fresh()
    const { yui, hana, hanaId, manage, edit } = await registerTwoMembers(db)
    const changes = { fields: createFields('hana', { profile: '本人が書きました' }), flags: null, base: 1 }
    const secondResult = await overtaken(
      db,
      (trx) => manage(yui, hanaId, 'approve', trx),
      () => edit(hana, hanaId, changes),
    )
    expect(secondResult).toMatchObject({ ok: expect.any(String) })
    expect(await rowOf(db, hanaId)).toMatchObject({ admin: true, profile: '本人が書きました', version: 3 })
  })

  test('registers a person who has no account and can never administer the site', async () => {
    const db = await fresh()
    const { yui, yuiId, manage, edit, revert, form } = await registerTwoMembers(db)
    const addition = await registerNonMember(db, yui, createFields('近所の方'), { form: form(yui), approved: true })
    const { id } = addition as { id: string }
    const row = await rowOf(db, id)
    expect(row).toMatchObject({ accountId: null, admin: true, administrator: false })
    expect(row.nonMemberId).toMatch(/^nonMember/)
    expect(await revisionsOf(db, id)).toMatchObject([{ action: 'add', accountId: 'account-yui' }])
    expect((await readRoles(db, row.nonMemberId ?? '')).member).toBeNull()
    await expect(manage(yui, id, 'make administrator')).rejects.toThrow('アカウントのない方は、管理者にできません。')
    const flags = { administrator: true, admin: true }
    await edit(yui, id, { fields: createFields('近所の人'), flags, base: 1 })
    expect(await rowOf(db, id)).toMatchObject({ accountname: '近所の人', administrator: false, version: 2 })
    await expect(
      registerNonMember(db, yui, createFields('近所の人'), { form: form(yui), approved: true }),
    ).rejects.toThrow(AccountnameTaken)
    const second = await registerNonMember(db, yui, createFields('新しい方'), { form: form(yui), approved: false })
    expect(await rowOf(db, (second as { id: string }).id)).toMatchObject({ admin: false, administrator: false })

    // A revert to the imported state does not restore the administrator flag, because the member has no account.
    const kiku = await addImported(db, 'kiku', { administrator: true })
    await manage(yui, kiku, 'unmake administrator')
    const [firstRevision] = await revisionsOf(db, kiku)
    expect(await revert(yui, firstRevision?.id ?? '')).not.toBeNull()
    expect(await rowOf(db, kiku)).toMatchObject({ administrator: false, accountId: null, version: 3 })
    expect(await rowOf(db, yuiId)).toMatchObject({ administrator: true, version: 1 })
  })

  test('frees the later account name when a member is reverted to an earlier account name', async () => {
    const db = await fresh()
    const { yui, hana, hanaId, edit, revert, register, manage } = await registerTwoMembers(db)
    await edit(hana, hanaId, { fields: createFields('花'), flags: null, base: 1 })
    const [firstRevision] = await revisionsOf(db, hanaId)
    expect(await revert(yui, firstRevision?.id ?? '')).not.toBeNull()
    await expect(register(createAccount('ken'), createFields('hana'))).rejects.toThrow(AccountnameTaken)
    expect(await register(createAccount('ken'), createFields('花'))).toMatchObject({ isNew: true })
    await manage(yui, hanaId, 'delete')
    expect(await revert(yui, firstRevision?.id ?? '')).toBeNull()
    expect(await rowOf(db, hanaId)).toMatchObject({ deletedAt: at, version: 4 })
  })

  test('restores a deleted member with the approval only when an administrator restores the member', async () => {
    const db = await fresh()
    const { yui, hana, hanaId, manage, edit, register } = await registerTwoMembers(db)
    await manage(yui, hanaId, 'approve')
    expect(await manage(yui, hanaId, 'delete')).toMatchObject({ ok: { username: expect.any(String) } })
    expect((await readRoles(db, 'account-hana')).member).toBeNull()
    for (const deed of ['withdraw', 'make administrator', 'delete'] as const) {
      expect(await manage(yui, hanaId, deed)).toEqual({ error: 'missing' })
    }
    expect(await edit(yui, hanaId, { fields: createFields('花'), flags: null, base: 1 })).toEqual({ error: 'missing' })
    expect(await rowOf(db, hanaId)).toMatchObject({
      admin: true,
      administrator: false,
      accountname: 'hana',
      version: 3,
    })
    await manage(yui, hanaId, 'restore')
    expect((await readRoles(db, 'account-hana')).member).toMatchObject({ id: hanaId, admin: true })

    await manage(yui, hanaId, 'delete')
    expect(await register({ ...hana, member: null }, createFields('花'))).toMatchObject({ isNew: true, id: hanaId })
    expect(await rowOf(db, hanaId)).toMatchObject({
      admin: false,
      administrator: false,
      accountname: '花',
      deletedAt: null,
    })
  })

  test('rejects the restoration of a member when another member has taken the account name', async () => {
    const db = await fresh()
    const { yui, hanaId, manage, register } = await registerTwoMembers(db)
    await manage(yui, hanaId, 'delete')
    expect(await register(createAccount('ken'), createFields('hana'))).toMatchObject({ isNew: true })
    await expect(manage(yui, hanaId, 'restore')).rejects.toThrow(AccountnameTaken)
    expect((await rowOf(db, hanaId)).deletedAt).toBe(at)
  })

  test('lets members save only their own record, and lets only administrators save flags', async () => {
    const db = await fresh()
    const { hana, yui, yuiId, hanaId, edit, mails } = await registerTwoMembers(db)
    const changes = { fields: createFields('花'), flags: { administrator: true, admin: true }, base: 1 }
    expect(await edit(hana, hanaId, changes)).toMatchObject({ ok: expect.any(String) })
    expect(await rowOf(db, hanaId)).toMatchObject({ accountname: '花', administrator: false, admin: false, version: 2 })
    await expect(edit(hana, yuiId, changes)).rejects.toThrow('この操作は管理者だけが行えます。')
    await expect(edit(null, hanaId, changes)).rejects.toThrow('この操作は管理者だけが行えます。')
    await expect(edit(hana, hanaId, { ...changes, fields: createFields('ＹＵＩ'), base: 2 })).rejects.toThrow(
      AccountnameTaken,
    )
    expect(mails).toEqual([])
    await edit(yui, hanaId, { ...changes, base: 2 })
    expect(await rowOf(db, hanaId)).toMatchObject({ administrator: true, admin: true, version: 3 })
  })

  test('merges changes to different fields and rejects a second change to the same field', async () => {
    const db = await fresh()
    const { hana, yui, hanaId, edit } = await registerTwoMembers(db)
    const change = (changes: Partial<MemberFields>) => ({ fields: createFields('hana', changes), flags: null, base: 1 })
    await edit(yui, hanaId, change({ address: '新しい住所' }))
    expect(await edit(hana, hanaId, change({ profile: '新しい自己紹介' }))).toMatchObject({
      ok: expect.any(String),
    })
    expect(await rowOf(db, hanaId)).toMatchObject({ address: '新しい住所', profile: '新しい自己紹介', version: 3 })
    expect(await edit(hana, hanaId, change({ address: '別の住所' }))).toEqual({
      error: 'conflict',
      fields: ['address'],
      version: 3,
    })
    expect(await rowOf(db, hanaId)).toMatchObject({ address: '新しい住所', version: 3 })
  })

  test('leaves a flag unchanged when the administrator has not edited it', async () => {
    const db = await fresh()
    const { yui, hanaId, edit, manage } = await registerTwoMembers(db)
    const loaded = { flags: { administrator: false, admin: false }, base: 1 }
    await manage(yui, hanaId, 'approve')
    await edit(yui, hanaId, { ...loaded, fields: createFields('hana', { profile: '新しい自己紹介' }) })
    expect(await rowOf(db, hanaId)).toMatchObject({
      profile: '新しい自己紹介',
      admin: true,
      administrator: false,
      version: 3,
    })
    await manage(yui, hanaId, 'make administrator')
    const changes = { flags: { administrator: true, admin: false }, base: 3 }
    await edit(yui, hanaId, { ...changes, fields: createFields('hana', { profile: '新しい自己紹介' }) })
    expect(await rowOf(db, hanaId)).toMatchObject({ admin: false, administrator: true, version: 5 })
  })

  test('lets the server operator appoint an administrator when the site has none', async () => {
    const db = await fresh()
    const { yui, hanaId, manage } = await registerTwoMembers(db)
    await db.updateTable('members').set({ administrator: false }).execute()
    for (const once of ['first', 'again']) {
      expect(await appointAdministrator(db, 'account-hana', at)).toBe('hana')
      expect(await rowOf(db, hanaId), once).toMatchObject({ administrator: true, admin: true, version: 2 })
    }
    expect(await revisionsOf(db, hanaId)).toMatchObject([{ accountId: 'account-hana' }, { accountId: null }])
    expect(await appointAdministrator(db, 'account-nobody', at)).toBeNull()
    expect(await countAdministrators(db)).toBe(1)
    await appointAdministrator(db, 'account-yui', at)
    await manage(yui, hanaId, 'delete')
    expect(await appointAdministrator(db, 'account-hana', at)).toBeNull()
    expect((await rowOf(db, hanaId)).deletedAt).toBe(at)
  })

  test('appoints no first administrator when the server operator has appointed an administrator', async () => {
    const db = await fresh()
    const { register, rules } = createCircle(db)
    rules.ownerEmail = 'owner@example.jp'
    await register(createAccount('hana'))
    await appointAdministrator(db, 'account-hana', at)
    expect(await register(createAccount('owner'))).toMatchObject({ first: false })
    expect(await countAdministrators(db)).toBe(1)
  })

  test('erases a member and the member’s history without changes to other members', async () => {
    const db = await fresh()
    const { yuiId, hanaId } = await registerTwoMembers(db)
    await eraseMember(db, 'account-nobody', at)
    await eraseMember(db, 'account-hana', at)
    const rows: unknown[] = await db.selectFrom('members').selectAll().execute()
    rows.push(...(await db.selectFrom('revisions').selectAll().execute()))
    expect(rows).toMatchObject([{ id: yuiId }, { subjectId: yuiId }])
    expect(JSON.stringify(rows)).not.toContain(hanaId)
    expect(JSON.stringify(rows)).not.toContain('account-hana')
  })

  test('adopts an imported record only for one account that has no member', async () => {
    const db = await fresh()
    const { yui, hana, hanaId, manage } = await registerTwoMembers(db)
    const kiku = await addImported(db, 'kiku', { email: 'hana@example.jp', administrator: true, admin: true })
    await manage(yui, hanaId, 'delete')
    expect(await adoptImportedMember(db, { ...hana, member: null }, at)).toBeNull()
    expect(await rowOf(db, kiku)).toMatchObject({ accountId: null, version: 1 })

    const [one, two] = ['one', 'two'].map((name) => ({ ...createAccount(name), email: 'hana@example.jp' })) as [
      SignedIn,
      SignedIn,
    ]
    const secondResult = await overtaken(
      db,
      (trx) => adoptImportedMember(trx, one, at),
      () => adoptImportedMember(db, two, at),
    )
    expect(secondResult).toBeNull()
    expect(await rowOf(db, kiku)).toMatchObject({ accountId: 'account-one', administrator: true, version: 2 })
    const revisions = await revisionsOf(db, kiku)
    expect(revisions.map(({ action, accountId }) => [action, accountId])).toEqual([
      ['add', null],
      ['adopt', 'account-one'],
    ])
  })
})
