import type { Transaction } from 'kysely'
import { cleanEmail, isPlainEmail } from '../../app/forms/email-address.ts'
import { addImportedMember, readTakeover } from '../../app/members/imported.server.ts'
import { type MemberFields, memberFieldNames } from '../../app/members/member.ts'
import { markFirstAdministrator } from '../../app/settings/roles.server.ts'
import { truncate } from '../../app/ui/characters.ts'
import type { MemberRow, Tables } from '../../db/tables.ts'
import {
  type FieldReader,
  type Fields,
  type ImportedDocument,
  type ImportedKind,
  type Importing,
  inShort,
  isObject,
  isUsableId,
  type Note,
  newIdInWords,
  parsed,
  readerOf,
  timeNames,
  timesOf,
  usableId,
} from './import-reading.ts'

const oldNames: Record<string, string> = { telNum: 'tel_num' }

const names = [
  ...memberFieldNames.map((name) => oldNames[name] ?? name),
  ...['id', 'administrator', 'admin', 'author', 'challenge', 'birthday', 'realname', ...timeNames],
]

/**
 * Adds members without accounts and notes who can take each of them over. Afterwards nobody becomes the first
 * administrator by registering.
 */
export const memberImport: ImportedKind = {
  names,
  async importAll(importing, documents) {
    const { trx, author, earlier, noteOn } = importing
    if (documents.length > 0) await markFirstAdministrator(trx, author.at)
    const authors = new Map(earlier('members').map(({ id, fields }) => [authorOf(fields, () => {}).id, id]))
    const added: { document: ImportedDocument; member: MemberRow }[] = []
    for (const document of documents) {
      const member = await importMember(importing, document, authors)
      if (member) added.push({ document, member })
    }
    // After all members are added, because a member whose e-mail address occurs twice cannot be taken over.
    for (const { document, member } of added) await noteTakeover(trx, member, noteOn(document))
    return added.map(({ document }) => document)
  },
}

const MAX_ACCOUNTNAME = 100

async function importMember(
  { trx, author, noteOn }: Importing,
  document: ImportedDocument,
  authors: Map<string, string>,
) {
  const { id, fields } = document
  const note = noteOn(document)
  if (await trx.selectFrom('members').select('id').where('id', '=', id).executeTakeFirst()) {
    note('同じIDのメンバーがすでにいます。取り込みません。元の文書だけを保存します。')
    return null
  }
  const read = readerOf(fields, note, names)
  const old = authorOf(fields, note)
  const own = wordsOf(read, old.username)
  const nonMemberId = await nonMemberIdOf(trx, old.id, id, note)
  const twin = authors.get(old.id)
  if (old.id && !nonMemberId) {
    if (twin !== undefined)
      note(`author のID「${old.id}」が members/${twin} と同じです。同じ方の登録が二つある可能性があります。`)
    else authors.set(old.id, id)
  }
  const flag = read.flag('administrator')
  if (flag && nonMemberId)
    note('アカウントのない方なので、管理者としては取り込みません（author が nonMember で始まります）。')
  const { birthday, realname } = read.texts(['birthday', 'realname'])
  const imported = {
    id: usableId(id, note),
    ...own,
    nonMemberId,
    administrator: flag && !nonMemberId,
    admin: read.flag('admin'),
    birthday: birthday || null,
    realname: realname || null,
    ...timesOf(read.times(), {}, author.at),
  } as const
  const member = await addImportedMember(trx, imported, author)
  if (member.accountname !== own.accountname)
    note(`アカウント名「${own.accountname}」はすでにあるため、「${member.accountname}」として取り込みます。`)
  return member
}

function wordsOf(read: FieldReader, authorsName: string) {
  const { note } = read
  const texts = memberFieldNames.map((name) => [name, read.text(oldNames[name] ?? name)])
  const own: MemberFields = Object.fromEntries(texts)
  const challenge = read.text('challenge')
  own.strengths ||= challenge
  if (challenge && challenge !== own.strengths)
    note(
      `「strengths」と「challenge」が食い違っています。「strengths」を取り込みます（challenge: ${inShort(challenge)}）。`,
    )
  if (!own.username) {
    own.username = authorsName || '（お名前なし）'
    note(`「username」がありません。「${own.username}」として取り込みます。`)
  } else if (authorsName && authorsName !== own.username)
    note(`author の名前「${authorsName}」は取り込みません。「username」の「${own.username}」を取り込みます。`)
  own.email = cleanEmail(own.email)
  own.accountname ||= own.username
  const short = truncate(own.accountname, MAX_ACCOUNTNAME)
  if (short !== own.accountname)
    note(`「accountname」が長すぎます。はじめの${MAX_ACCOUNTNAME}文字を取り込みます（${own.accountname}）。`)
  own.accountname = short
  return own
}

function authorOf(fields: Fields, note: Note) {
  const author = parsed(fields.author, note)
  if (!isObject(author)) {
    note(
      author === undefined && fields.author === undefined
        ? 'author がありません。'
        : `author を読めません（${inShort(fields.author)}）。`,
    )
    return { id: '', username: '' }
  }
  const inAuthor = (sentence: string) => note(`author の${sentence}`)
  return readerOf(author, inAuthor, ['id', 'username']).texts(['id', 'username'])
}

// An author whose ID has this prefix never signed in.
async function nonMemberIdOf(trx: Transaction<Tables>, author: string, id: string, note: Note) {
  if (!author.startsWith('nonMember')) return null
  const isFree = async (wanted: string) =>
    isUsableId(wanted) &&
    !(await trx.selectFrom('members').select('id').where('nonMemberId', '=', wanted).executeTakeFirst())
  if (await isFree(author)) return author
  note(
    isUsableId(author)
      ? `author のID「${author}」がほかのメンバーと同じです。新しいIDを付けます。`
      : `author の${newIdInWords(author)}`,
  )
  return (await isFree(`nonMember-${id}`)) ? `nonMember-${id}` : `nonMember-${crypto.randomUUID()}`
}

async function noteTakeover(trx: Transaction<Tables>, member: MemberRow, note: Note) {
  const { email, administrator } = member
  const { alike, taker } = await readTakeover(trx, member)
  if (email && !isPlainEmail(email)) note(`メールアドレス「${email}」は有効ではありません。そのまま取り込みます。`)
  if (alike.length > 0) {
    const letters = alike.some((other) => other.email !== email) ? '。大文字と小文字は区別しません' : ''
    const others = alike.map((other) => `${other.username}、${other.email}`).join('／')
    note(`メールアドレス「${email}」が、ほかのメンバーと同じです（${others}${letters}）。`)
  }
  if (taker === 'whoever proves the address' && administrator)
    note(`管理者として取り込みます。${email} の確認が済んだ方がログインすると、管理者になります。`)
  if (taker === 'whoever proves the address' || taker === 'nobody ever') return
  const reasons = {
    'no address': 'メールアドレスがないか有効でない',
    'address twice': 'このアドレスで関連付けを待つ登録がほかにもある',
    'account has a record': 'このアドレスのアカウントには、すでにメンバーの登録がある',
  }
  note(
    `${reasons[taker]}ため、ログインしても自動では関連付けられません。${administrator ? '管理者の権限は残りますが、このままではどなたも管理者になりません。' : ''}`,
  )
}
