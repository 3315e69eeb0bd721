import type { Transaction } from 'kysely'
import { addImportedMember } from '../../app/members/imported.server.ts'
import { memberFieldNames } from '../../app/members/member.ts'
import type { Tables } from '../../db/tables.ts'
import type { ImportedDocument } from './import-documents.ts'
import { flagOf, instantOf, type Note, noteUnknown, parsed, textOf } from './import-reading.ts'

const oldNames: Record<string, string> = { telNum: 'tel_num' }

/** Adds the member of a document, without an account. Returns 1, or 0 where that record is there already. */
export async function importMember(
  trx: Transaction<Tables>,
  { id, fields }: ImportedDocument,
  { at, note }: { at: string; note: Note },
) {
  noteUnknown(fields, names, note)
  const text = (name: string) => textOf(fields, oldNames[name] ?? name, note)
  const { nonMemberId, username } = authorOf(fields, note)
  const own = Object.fromEntries(memberFieldNames.map((name) => [name, text(name)])) as Record<
    (typeof memberFieldNames)[number],
    string
  >
  own.strengths ||= text('challenge')
  if (text('challenge') && text('challenge') !== own.strengths) {
    note('「strengths」と「challenge」が食い違っています。「strengths」を取り込みます。')
  }
  own.username ||= username || '（お名前なし）'
  own.accountname ||= own.username
  const taken = await trx
    .selectFrom('members')
    .select(['id', 'nonMemberId', 'email'])
    .where((is) => is.or([is('id', '=', id), is('nonMemberId', '=', nonMemberId ?? ''), is('email', '=', own.email)]))
    .execute()
  if (taken.some((other) => other.id === id)) {
    note('同じ番号のメンバーがすでにいます。取り込みません。')
    return 0
  }
  if (own.email && taken.some(({ email }) => email === own.email)) {
    note(`同じメールアドレス（${own.email}）のメンバーがほかにいます。ログインしても自動では結び付きません。`)
  }
  const shared = nonMemberId !== null && taken.some((other) => other.nonMemberId === nonMemberId)
  if (shared) note(`author の番号「${nonMemberId}」がほかのメンバーと同じです。新しい番号を付けます。`)

  const administrator = flagOf(fields, 'administrator', note)
  if (administrator && !nonMemberId) {
    note(
      `管理者として取り込みます。${own.email || '（アドレスなし）'} を確かめた方がログインすると、管理者になります。`,
    )
  }
  const createdAt = instantOf(fields.createdAt ?? fields.created_at) ?? at
  const name = await addImportedMember(
    trx,
    {
      id,
      ...own,
      nonMemberId: shared ? `nonMember-${id}` : nonMemberId,
      administrator: administrator && !nonMemberId ? 1 : 0,
      admin: flagOf(fields, 'admin', note) ? 1 : 0,
      birthday: text('birthday') || null,
      realname: text('realname') || null,
      createdAt,
      updatedAt: instantOf(fields.updatedAt ?? fields.updated_at) ?? createdAt,
    },
    { accountId: null, at },
  )
  if (name !== own.accountname)
    note(`アカウント名「${own.accountname}」はすでにあるため、「${name}」として取り込みます。`)
  return 1
}

const names = [
  ...memberFieldNames.map((name) => oldNames[name] ?? name),
  ...['id', 'version', 'administrator', 'admin', 'author', 'challenge', 'birthday', 'realname'],
  ...['createdAt', 'updatedAt', 'created_at', 'updated_at'],
]

// An author whose id begins so never signed in.
function authorOf(fields: ImportedDocument['fields'], note: Note) {
  const author = parsed(fields.author)
  if (typeof author !== 'object' || author === null) {
    note('author がありません。')
    return { nonMemberId: null, username: '' }
  }
  const { id, username } = author as Record<string, unknown>
  const isNonMember = typeof id === 'string' && id.startsWith('nonMember')
  return { nonMemberId: isNonMember ? id : null, username: typeof username === 'string' ? username : '' }
}
