import { isRegistrationOpen } from '../../app/accounts/registration.server.ts'
import type { FieldErrors } from '../../app/forms/save-answer.ts'
import { type Done, manageMember } from '../../app/members/administration.server.ts'
import { type MemberField, memberFieldNames, sentences } from '../../app/members/member.ts'
import { type Edited, editMember } from '../../app/members/member-editing.server.ts'
import { tellingOf } from '../../app/members/member-notices.server.ts'
import { parseMember } from '../../app/members/member-schema.ts'
import { fieldsSeenBy, membersVisibleTo, readMember } from '../../app/members/members.server.ts'
import { type Registered, registerMember, registerNonMember } from '../../app/members/registration.server.ts'
import { mayEditMember, mayManageMembers, refusedAdministrators } from '../../app/permissions.ts'
import { authorOf, contextOf, type RequestContext } from '../../app/request.ts'
import { LAST_ADMINISTRATOR, rolesOf } from '../../app/settings/roles.server.ts'
import type { Collection, Document, Given, Outcome } from './collections.ts'

/** The members and their fields that the visitor may see; never the birthday or the real name. */
export const members: Collection = {
  // Fields that the visitor may not change are accepted, ignored and logged.
  fields: () => [...sentNames, 'administrator', 'admin', 'author', 'birthday', 'realname'],
  list: (context) => documents(context),
  read: async (context, id) => (await documents(context, id))[0] ?? null,

  refusal: async (context, deed, id) => {
    const { visitor } = contextOf(context)
    if (deed === 'add' && !visitor) return sentences.signIn
    if (deed === 'add')
      return mayManageMembers(visitor) || (await isRegistrationOpen(contextOf(context).db))
        ? null
        : refusedAdministrators(visitor)
    const may = deed === 'remove' ? mayManageMembers(visitor) : mayEditMember(visitor, id)
    return may ? null : refusedAdministrators(visitor)
  },

  add: async (context, given) => {
    const { db, visitor } = contextOf(context)
    if (!visitor) return { outcome: 'missing' }
    logIgnored(context, given)
    const parsed = parseMember(fieldsOf(given))
    if ('errors' in parsed) return wrong(parsed.errors)
    const form = { owner: visitor.accountId, form: 'member', key: '', at: authorOf(context).at }
    // A registered administrator adds a person without an account.
    if (visitor.member && mayManageMembers(visitor)) {
      return added(await registerNonMember(db, visitor, parsed.fields, { form, approved: given.admin === true }))
    }
    const rules = { ownerEmail: contextOf(context).ownerEmail, addressMustBeProven: contextOf(context).mailer.verifies }
    const registered = await registerMember(db, visitor, parsed.fields, { form, rules, around: tellingOf(context) })
    contextOf(context).visitor = { ...visitor, ...(await rolesOf(db, visitor.accountId)) }
    return added(registered)
  },

  change: async (context, { id, version }, given) => {
    const { db, visitor } = contextOf(context)
    const record = await readMember(db, visitor, id)
    if (!record) return { outcome: 'missing' }
    if (record.version !== version) return { outcome: 'newer' }
    logIgnored(context, given)
    const parsed = parseMember({ ...record.fields, ...fieldsOf(given) })
    if ('errors' in parsed) return wrong(parsed.errors)
    const flag = (name: 'administrator' | 'admin') => (typeof given[name] === 'boolean' ? given[name] : record[name])
    const flags = mayManageMembers(visitor) ? { administrator: flag('administrator'), admin: flag('admin') } : null
    const form = { owner: visitor?.accountId ?? '', form: 'member', key: '', at: authorOf(context).at }
    const changes = { fields: parsed.fields, flags, base: version }
    const edited = await editMember(db, visitor, id, changes, { form, around: tellingOf(context) })
    return outcomeOf(id, edited?.state)
  },

  remove: async (context, { id, version }) => {
    const { db, visitor } = contextOf(context)
    const how = { at: authorOf(context).at, around: tellingOf(context), version }
    const removed = await manageMember(db, visitor, id, 'delete', how)
    return outcomeOf(id, removed?.state)
  },
}

const taken: Outcome = { outcome: 'taken', error: sentences.accountnameTaken, field: 'accountname' }

function added(registered: Registered | null): Outcome {
  if (registered?.state === 'registered') return { outcome: 'saved', id: registered.id }
  if (registered?.state === 'account name taken') return taken
  return { outcome: 'taken', error: 'メンバー登録はお済みです。' }
}

function outcomeOf(id: string, state: (Edited | Done)['state'] | undefined): Outcome {
  if (state === 'saved' || state === 'done') return { outcome: 'saved', id }
  if (state === 'newer version') return { outcome: 'newer' }
  if (state === 'account name taken') return taken
  return state === 'last administrator' ? { outcome: 'taken', error: LAST_ADMINISTRATOR } : { outcome: 'missing' }
}

async function documents(context: RequestContext, id?: string): Promise<Document[]> {
  const { visitor } = contextOf(context)
  const rows = await membersVisibleTo(contextOf(context).db, visitor)
    .select(['id', 'version', 'accountId', 'nonMemberId', 'administrator', 'admin', ...memberFieldNames])
    .select(['createdAt', 'updatedAt'])
    .$if(id !== undefined, (query) => query.where('id', '=', id ?? ''))
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
  return rows.map((row) => ({
    id: row.id,
    version: row.version,
    ...Object.fromEntries(fieldsSeenBy(visitor, row.id).map((name) => [names[name] ?? name, row[name]])),
    ...(mayEditMember(visitor, row.id) && {
      administrator: row.administrator,
      admin: row.admin,
      author: { id: row.accountId ?? row.nonMemberId, username: row.username },
    }),
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }))
}

const names: Partial<Record<MemberField, string>> = { telNum: 'tel_num' }
const sentNames = memberFieldNames.map((name) => names[name] ?? name)

function fieldsOf(given: Given) {
  const own = memberFieldNames.map((name) => [name, given[names[name] ?? name]] as const)
  return Object.fromEntries(own.filter(([, value]) => value !== undefined))
}

function wrong(errors: FieldErrors): Outcome {
  const [[name, [error = '']] = ['', []]] = Object.entries(errors)
  return { outcome: 'wrong', error, field: names[name as MemberField] ?? name }
}

function logIgnored(context: RequestContext, given: Given) {
  const { visitor } = contextOf(context)
  const own = new Set<string>(sentNames)
  const flags = mayManageMembers(visitor) ? ['administrator', 'admin'] : []
  const ignored = Object.keys(given).filter((name) => !own.has(name) && !flags.includes(name))
  if (ignored.length > 0) {
    const shortened = ignored.slice(0, 20).map((name) => name.slice(0, 40))
    contextOf(context).log.warn({ ignored: shortened, by: visitor?.accountId }, 'fields ignored')
  }
}
