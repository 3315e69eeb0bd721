import type { Transaction } from 'kysely'
import { cleanEmail, isPlainAddress } from '../../app/forms/email-address.ts'
import { addImportedMember, takeover } from '../../app/members/imported.server.ts'
import { memberFieldNames } from '../../app/members/member.ts'
import { markFirstAdministrator } from '../../app/settings/roles.server.ts'
import { beginningOf } from '../../app/ui/characters.ts'
import type { MemberRow, Tables } from '../../db/tables.ts'
import {
  type Fields,
  flagOf,
  type ImportedDocument,
  inShort,
  isObject,
  isUsableId,
  type Note,
  newIdInWords,
  noteUnknown,
  parsed,
  textOf,
  timeNames,
  timesIn,
  timesOf,
} from './import-reading.ts'

type Way = { at: string; noteOn: (document: ImportedDocument) => Note; earlier: ImportedDocument[] }

/**
 * Adds members without accounts and notes who can take each of them over. Afterwards nobody becomes the first
 * administrator by registering. Returns the documents with an added member.
 */
export async function importMembers(trx: Transaction<Tables>, documents: ImportedDocument[], way: Way) {
  const { at, noteOn, earlier } = way
  if (documents.length > 0) await markFirstAdministrator(trx, at)
  const authors = new Map(earlier.map((document) => [authorOf(document.fields, () => {}).id, document.id]))
  const added: { document: ImportedDocument; member: MemberRow }[] = []
  for (const document of documents) {
    const note = noteOn(document)
    const member = await importMember(trx, document, { at, note, authors })
    if (member) added.push({ document, member })
  }
  // After all members are added, because a member whose e-mail address occurs twice cannot be taken over.
  for (const { document, member } of added) await noteTakeover(trx, member, noteOn(document))
  return added.map(({ document }) => document)
}

const oldNames: Record<string, string> = { telNum: 'tel_num' }

export const memberNames = [
  ...memberFieldNames.map((name) => oldNames[name] ?? name),
  ...['id', 'administrator', 'admin', 'author', 'challenge', 'birthday', 'realname', ...timeNames],
]
const MAX_ACCOUNTNAME = 100

async function importMember(
  trx: Transaction<Tables>,
  { id, fields }: ImportedDocument,
  { at, note, authors }: { at: string; note: Note; authors: Map<string, string> },
) {
  if (await trx.selectFrom('members').select('id').where('id', '=', id).executeTakeFirst()) {
    note('同じ番号のメンバーがすでにいます。取り込みません。文書の控えだけを残します。')
    return null
  }
  noteUnknown(fields, memberNames, note)
  const author = authorOf(fields, note)
  const own = wordsOf(fields, author.username, note)
  const nonMemberId = await nonMemberIdOf(trx, author.id, id, note)
  const twin = authors.get(author.id)
  if (author.id && !nonMemberId) {
    if (twin !== undefined)
      note(`author の番号「${author.id}」が members/${twin} と同じです。おひとりの登録が二つあるかもしれません。`)
    else authors.set(author.id, id)
  }
  const flag = flagOf(fields, 'administrator', note)
  if (flag && nonMemberId)
    note('アカウントのない方なので、管理者としては取り込みません（author が nonMember で始まります）。')
  const usable = isUsableId(id)
  if (!usable) note(newIdInWords(id))
  const member = await addImportedMember(
    trx,
    {
      id: usable ? id : crypto.randomUUID(),
      ...own,
      nonMemberId,
      administrator: flag && !nonMemberId,
      admin: flagOf(fields, 'admin', note),
      birthday: textOf(fields, 'birthday', note) || null,
      realname: textOf(fields, 'realname', note) || null,
      ...timesOf(timesIn(fields, note), {}, at),
    },
    { accountId: null, at },
  )
  if (member.accountname !== own.accountname)
    note(`アカウント名「${own.accountname}」はすでにあるため、「${member.accountname}」として取り込みます。`)
  return member
}

function wordsOf(fields: Fields, authorsName: string, note: Note) {
  const text = (name: string) => textOf(fields, name, note)
  const own = Object.fromEntries(memberFieldNames.map((name) => [name, text(oldNames[name] ?? name)])) as Record<
    (typeof memberFieldNames)[number],
    string
  >
  const challenge = text('challenge')
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
  const short = beginningOf(own.accountname, MAX_ACCOUNTNAME)
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
  noteUnknown(author, ['id', 'username'], inAuthor)
  return { id: textOf(author, 'id', inAuthor), username: textOf(author, 'username', inAuthor) }
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
      ? `author の番号「${author}」がほかのメンバーと同じです。新しい番号を付けます。`
      : `author の${newIdInWords(author)}`,
  )
  return (await isFree(`nonMember-${id}`)) ? `nonMember-${id}` : `nonMember-${crypto.randomUUID()}`
}

async function noteTakeover(trx: Transaction<Tables>, member: MemberRow, note: Note) {
  const { email, administrator } = member
  const { alike, taker } = await takeover(trx, member)
  if (email && !isPlainAddress(email)) note(`メールアドレス「${email}」は有効ではありません。そのまま取り込みます。`)
  if (alike.length > 0) {
    const letters = alike.some((other) => other.email !== email) ? '。大文字と小文字は区別しません' : ''
    const others = alike.map((other) => `${other.username}、${other.email}`).join('／')
    note(`メールアドレス「${email}」が、ほかのメンバーと同じです（${others}${letters}）。`)
  }
  if (taker === 'whoever proves the address' && administrator)
    note(`管理者として取り込みます。${email} を確かめた方がログインすると、管理者になります。`)
  if (taker === 'whoever proves the address' || taker === 'nobody ever') return
  const reasons = {
    'no address': 'メールアドレスがないか有効でない',
    'address twice': 'このアドレスを待つ登録がほかにもある',
    'account has a record': 'このアドレスのアカウントには、すでにメンバーの登録がある',
  }
  note(
    `${reasons[taker]}ため、ログインしても自動では結び付きません。${administrator ? '管理者の印は残りますが、このままではどなたも管理者になりません。' : ''}`,
  )
}
