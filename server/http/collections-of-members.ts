import { isRegistrationOpen } from '../../app/accounts/registration.server.ts'
import { manageMember } from '../../app/members/administration.server.ts'
import { type MemberFields, memberFieldNames, sentences } from '../../app/members/member.ts'
import { editMember } from '../../app/members/member-editing.server.ts'
import { memberNoticesOf } from '../../app/members/member-notices.server.ts'
import { AccountnameTaken, memberRecord } from '../../app/members/member-record.server.ts'
import { Member } from '../../app/members/member-schema.ts'
import { readVisibleFields, visibleMembers } from '../../app/members/members.server.ts'
import { registerMember, registerNonMember } from '../../app/members/registration.server.ts'
import { mayManageMembers, maySeeAndEditMember, refusedAdministrators } from '../../app/permissions.ts'
import { contextOf } from '../../app/request.ts'
import { readRoles } from '../../app/settings/roles.server.ts'
import type { MemberRow } from '../../db/tables.ts'
import type { ApiContext, Collection, JsonBody, WriteResult } from './collection.ts'

type StoredMember = Omit<MemberRow, 'accountnameKey' | 'resting' | 'birthday' | 'realname' | 'deletedAt'>

const names: Record<string, string> = { telNum: 'tel_num' }
export const memberFieldOf = (field: string) => names[field] ?? field
const sentNames = memberFieldNames.map(memberFieldOf)

/** Collection of the members, without their birthdays and real names. */
export const members: Collection<StoredMember, MemberFields> = {
  recordType: memberRecord,
  // Fields that the visitor may not change are accepted, ignored and logged.
  fields: () => [...sentNames, 'administrator', 'admin', 'author', 'birthday', 'realname'],
  names,
  list: (api) => selectMembers(api).orderBy('createdAt').orderBy('id').execute(),
  read: (api, id) => selectMembers(api).where('id', '=', id).executeTakeFirst(),
  documentOf: (row, { visitor }) => ({
    id: row.id,
    version: row.version,
    ...Object.fromEntries(readVisibleFields(visitor, row.id).map((name) => [memberFieldOf(name), row[name]])),
    ...(maySeeAndEditMember(visitor, row.id) && {
      administrator: row.administrator,
      admin: row.admin,
      author: { id: row.accountId ?? row.nonMemberId, username: row.username },
    }),
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }),

  refusal: async ({ db, visitor }, action, id) => {
    if (action === 'add' && !visitor) return sentences.signIn
    const isRegistering = action === 'add' && (await isRegistrationOpen(db))
    const isPermitted =
      mayManageMembers(visitor) || isRegistering || (action === 'change' && maySeeAndEditMember(visitor, id))
    return isPermitted ? null : refusedAdministrators(visitor)
  },

  check: (api, body, stored, ref) => {
    if (stored?.version !== ref?.version) return { outcome: 'newer' }
    logIgnoredFields(api, body)
    return null
  },
  schema: () => Member,
  inputOf: (body, stored) => {
    const own = memberFieldNames.map((name) => [name, body[memberFieldOf(name)]] as const)
    return { ...stored, ...Object.fromEntries(own.filter(([, value]) => value !== undefined)) }
  },

  add: async ({ db, visitor, context, mailer, ownerEmail, author }, fields, body) => {
    if (!visitor) return { outcome: 'missing' }
    const form = { owner: visitor.accountId, form: 'member', key: '', at: author.at }
    return catchTakenName(async (): Promise<WriteResult> => {
      if (visitor.member && mayManageMembers(visitor)) {
        const { id } = await registerNonMember(db, visitor, fields, { form, approved: body.admin === true })
        return { outcome: 'saved', id }
      }
      const rules = { ownerEmail, requiresVerifiedEmail: mailer.verifies }
      const { id, isNew } = await registerMember(db, visitor, fields, { form, rules, around: memberNoticesOf(context) })
      contextOf(context).visitor = { ...visitor, ...(await readRoles(db, visitor.accountId)) }
      return isNew ? { outcome: 'saved', id } : { outcome: 'taken', error: 'メンバー登録はお済みです。' }
    })
  },

  change: async ({ db, visitor, context, author }, { id, version }, fields, { body, stored }) => {
    const flag = (name: 'administrator' | 'admin') => (typeof body[name] === 'boolean' ? body[name] : stored[name])
    const flags = mayManageMembers(visitor) ? { administrator: flag('administrator'), admin: flag('admin') } : null
    const form = { owner: visitor?.accountId ?? '', form: 'member', key: '', at: author.at }
    const changes = { fields, flags, base: version }
    return catchTakenName(() => editMember(db, visitor, id, changes, { form, around: memberNoticesOf(context) }))
  },

  remove: ({ db, visitor, context, author }, { id, version }) =>
    manageMember(db, visitor, id, 'delete', {
      at: author.at,
      around: memberNoticesOf(context),
      version,
    }),
}

function selectMembers({ db, visitor }: ApiContext) {
  return visibleMembers(db, visitor)
    .select(['id', 'version', 'accountId', 'nonMemberId', 'administrator', 'admin', ...memberFieldNames])
    .select(['createdAt', 'updatedAt'])
}

async function catchTakenName<Result>(write: () => Promise<Result>): Promise<Result | WriteResult> {
  try {
    return await write()
  } catch (error) {
    if (!(error instanceof AccountnameTaken)) throw error
    return { outcome: 'taken', error: sentences.accountnameTaken, field: 'accountname' }
  }
}

function logIgnoredFields({ visitor, log }: ApiContext, body: JsonBody) {
  const own = new Set<string>(sentNames)
  const flags = mayManageMembers(visitor) ? ['administrator', 'admin'] : []
  const ignored = Object.keys(body).filter((name) => !own.has(name) && !flags.includes(name))
  if (ignored.length > 0) {
    const shortened = ignored.slice(0, 20).map((name) => name.slice(0, 40))
    log.warn({ ignored: shortened, by: visitor?.accountId }, 'fields ignored')
  }
}
