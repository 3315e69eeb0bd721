import { cleanEmail, isPlainEmail } from '../../app/forms/email-address.ts'
import { addImportedMember, readTakeover } from '../../app/members/imported.server.ts'
import { type MemberFields, memberFieldNames } from '../../app/members/member.ts'
import { markFirstAdministrator } from '../../app/settings/roles.server.ts'
import { truncate } from '../../app/ui/characters.ts'
import type { MemberRow, Trx } from '../../db/tables.ts'
import { memberFieldOf } from '../http/collections-of-members.ts'
import {
  type DocumentType,
  type FieldReader,
  type Fields,
  type ImportContext,
  type ImportedDocument,
  isObject,
  isUsableId,
  type Note,
  newIdSentence,
  parseJsonField,
  readerOf,
  resolveTimes,
  shortJson,
  timeNames,
  usableId,
} from './import-reading.ts'

const names = [
  ...memberFieldNames.map(memberFieldOf),
  ...['id', 'administrator', 'admin', 'author', 'challenge', 'birthday', 'realname', ...timeNames],
]

/** Import of the members. After this import, nobody becomes the first administrator by registering. */
export const memberImport: DocumentType = {
  names,
  async importAll(context, documents) {
    const { trx, author, earlier, noteOn } = context
    if (documents.length > 0) await markFirstAdministrator(trx, author.at)
    const authors = new Map(earlier('members').map(({ id, fields }) => [authorOf(fields, () => {}).id, id]))
    const added: { document: ImportedDocument; member: MemberRow }[] = []
    for (const document of documents) {
      const member = await importMember(context, document, authors)
      if (member) added.push({ document, member })
    }
    // Runs after all members are added, because a member whose e-mail address occurs twice cannot be taken over.
    for (const { document, member } of added) await noteTakeover(trx, member, noteOn(document))
    return added.map(({ document }) => document)
  },
}

const MAX_ACCOUNTNAME = 100

async function importMember(
  { trx, author, noteOn }: ImportContext,
  document: ImportedDocument,
  authors: Map<string, string>,
) {
  const { id, fields } = document
  const note = noteOn(document)
  if (await trx.selectFrom('members').select('id').where('id', '=', id).executeTakeFirst()) {
    note('同じIDのメンバーがすでにいます。取り込みません。元の文書だけを保存します。')
    return null
  }
  const reader = readerOf(fields, note, names)
  const oldAuthor = authorOf(fields, note)
  const own = memberFieldsOf(reader, oldAuthor.username)
  const nonMemberId = await nonMemberIdOf(trx, oldAuthor.id, id, note)
  const sameAuthor = authors.get(oldAuthor.id)
  if (oldAuthor.id && !nonMemberId) {
    if (sameAuthor !== undefined)
      note(
        `author のID「${oldAuthor.id}」が members/${sameAuthor} と同じです。同じ方の登録が二つある可能性があります。`,
      )
    else authors.set(oldAuthor.id, id)
  }
  const isAdministrator = reader.flag('administrator')
  if (isAdministrator && nonMemberId)
    note('アカウントのない方なので、管理者としては取り込みません（author が nonMember で始まります）。')
  const { birthday, realname } = reader.texts(['birthday', 'realname'])
  const imported = {
    id: usableId(id, note),
    ...own,
    nonMemberId,
    administrator: isAdministrator && !nonMemberId,
    admin: reader.flag('admin'),
    birthday: birthday || null,
    realname: realname || null,
    ...resolveTimes(reader.times(), {}, author.at),
  } as const
  const member = await addImportedMember(trx, imported, author)
  if (member.accountname !== own.accountname)
    note(`アカウント名「${own.accountname}」はすでにあるため、「${member.accountname}」として取り込みます。`)
  return member
}

function memberFieldsOf(reader: FieldReader, authorsName: string) {
  const { note } = reader
  const texts = memberFieldNames.map((name) => [name, reader.text(memberFieldOf(name))])
  const own: MemberFields = Object.fromEntries(texts)
  const challenge = reader.text('challenge')
  own.strengths ||= challenge
  if (challenge && challenge !== own.strengths)
    note(
      `「strengths」と「challenge」が食い違っています。「strengths」を取り込みます（challenge: ${shortJson(challenge)}）。`,
    )
  if (!own.username) {
    own.username = authorsName || '（お名前なし）'
    note(`「username」がありません。「${own.username}」として取り込みます。`)
  } else if (authorsName && authorsName !== own.username)
    note(`author の名前「${authorsName}」は取り込みません。「username」の「${own.username}」を取り込みます。`)
  own.email = cleanEmail(own.email)
  own.accountname ||= own.username
  const shortened = truncate(own.accountname, MAX_ACCOUNTNAME)
  if (shortened !== own.accountname)
    note(`「accountname」が長すぎます。はじめの${MAX_ACCOUNTNAME}文字を取り込みます（${own.accountname}）。`)
  own.accountname = shortened
  return own
}

function authorOf(fields: Fields, note: Note) {
  const author = parseJsonField(fields.author, note)
  if (!isObject(author)) {
    note(
      author === undefined && fields.author === undefined
        ? 'author がありません。'
        : `author を読めません（${shortJson(fields.author)}）。`,
    )
    return { id: '', username: '' }
  }
  const noteInAuthor = (sentence: string) => note(`author の${sentence}`)
  return readerOf(author, noteInAuthor, ['id', 'username']).texts(['id', 'username'])
}

// An author whose ID begins with `nonMember` never signed in.
async function nonMemberIdOf(trx: Trx, author: string, id: string, note: Note) {
  if (!author.startsWith('nonMember')) return null
  const isFree = async (wanted: string) =>
    isUsableId(wanted) &&
    !(await trx.selectFrom('members').select('id').where('nonMemberId', '=', wanted).executeTakeFirst())
  if (await isFree(author)) return author
  note(
    isUsableId(author)
      ? `author のID「${author}」がほかのメンバーと同じです。新しいIDを付けます。`
      : `author の${newIdSentence(author)}`,
  )
  return (await isFree(`nonMember-${id}`)) ? `nonMember-${id}` : `nonMember-${crypto.randomUUID()}`
}

async function noteTakeover(trx: Trx, member: MemberRow, note: Note) {
  const { email, administrator } = member
  const { alike: sameEmail, taker } = await readTakeover(trx, member)
  if (email && !isPlainEmail(email)) note(`メールアドレス「${email}」は有効ではありません。そのまま取り込みます。`)
  if (sameEmail.length > 0) {
    const letters = sameEmail.some((other) => other.email !== email) ? '。大文字と小文字は区別しません' : ''
    const sameEmailNames = sameEmail.map((other) => `${other.username}、${other.email}`).join('／')
    note(`メールアドレス「${email}」が、ほかのメンバーと同じです（${sameEmailNames}${letters}）。`)
  }
  if (taker === 'owner of the e-mail' && administrator)
    note(`管理者として取り込みます。${email} の確認が済んだ方がログインすると、管理者になります。`)
  if (taker === 'owner of the e-mail' || taker === 'nobody') return
  const reasons = {
    'no e-mail': 'メールアドレスがないか有効でない',
    'duplicate e-mail': 'このアドレスで関連付けを待つ登録がほかにもある',
    'account has a member': 'このアドレスのアカウントには、すでにメンバーの登録がある',
  }
  note(
    `${reasons[taker]}ため、ログインしても自動では関連付けられません。${administrator ? '管理者の権限は残りますが、このままではどなたも管理者になりません。' : ''}`,
  )
}
