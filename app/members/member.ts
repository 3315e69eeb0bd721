import { invalidEmail } from '../forms/email-address.ts'
import { characterCount, graphemes } from '../ui/characters.ts'
import { normalize } from '../ui/normalize.ts'
import { cleanLine } from '../ui/typed-text.ts'

type Field = {
  label: string
  step: 1 | 2 | 3 | 4 | 5
  /** A short line shows a warning from six characters on. A text has several lines. */
  kind: 'short line' | 'line' | 'text'
  maxLength: number
}

export const memberFields = {
  username: { label: 'お名前', step: 1, kind: 'short line', maxLength: 100 },
  accountname: { label: 'アカウント名', step: 1, kind: 'short line', maxLength: 10 },
  email: { label: 'メールアドレス', step: 1, kind: 'line', maxLength: 254 },
  address: { label: 'ご住所', step: 1, kind: 'line', maxLength: 200 },
  telNum: { label: '電話番号', step: 1, kind: 'line', maxLength: 30 },
  profile: { label: '自己紹介', step: 1, kind: 'text', maxLength: 2000 },
  tennisExperience: { label: 'テニス歴', step: 2, kind: 'short line', maxLength: 100 },
  racquetUsed: { label: '使用ラケット', step: 2, kind: 'short line', maxLength: 100 },
  favoriteShot: { label: '得意なショット', step: 2, kind: 'short line', maxLength: 100 },
  strengths: { label: '強み・挑戦していること', step: 3, kind: 'text', maxLength: 2000 },
  strengthsWeaknesses: { label: '長所と短所', step: 3, kind: 'text', maxLength: 2000 },
  struggles: { label: '苦労していること', step: 3, kind: 'text', maxLength: 2000 },
  playerStyle: { label: 'プレースタイル', step: 4, kind: 'short line', maxLength: 100 },
  tennisPhilosophy: { label: 'テニスへの思い', step: 4, kind: 'text', maxLength: 2000 },
  mainAchievements: { label: '主な実績', step: 4, kind: 'text', maxLength: 2000 },
  hobbiesSkills: { label: '趣味・特技', step: 5, kind: 'text', maxLength: 2000 },
} as const satisfies Record<string, Field>

export type MemberField = keyof typeof memberFields
export type MemberFields = Record<MemberField, string>
export type Step = Field['step']

export const memberFieldNames = Object.keys(memberFields) as MemberField[]

export const emptyMember = Object.fromEntries(memberFieldNames.map((name) => [name, ''])) as MemberFields

export const stepNumbers = [1, 2, 3, 4, 5] as const
export const steps = ['基本情報', '経験と道具', '強みと課題', '考え方', '趣味'] as const

/** Fields that only the member and the administrators see. */
export const contactFields = ['email', 'address', 'telNum'] as const satisfies readonly MemberField[]

/** Fields that all approved members see. */
export const sharedFields = memberFieldNames.filter((name) => !contactFields.some((contact) => contact === name))

export function fieldsOf(step: Step) {
  return memberFieldNames.filter((name) => memberFields[name].step === step)
}

export const sentences = {
  blank: 'すべての項目を入力してください',
  email: invalidEmail,
  accountnameTaken: 'そのアカウント名は既に存在します。変更してください',
  accountnameTooLong: 'アカウント名は5文字以内で入力してください（登録できるのは10文字までです）',
  shortLine: '5文字以上は入力できません',
  signIn: 'ログインしてから入力してください',
  firstMember: '最初の登録者のため、管理者権限を付与しました',
  notRegistered: '先にメンバー情報を登録してください',
  gone: 'このメンバーは見つかりません。すでに削除されているようです。',
  awaiting: '管理者の承認後に、参加申込とメンバー一覧をご覧いただけます',
  firstApproval: '承認すると、お料理とカレンダーの編集もできるようになります（設定で管理者だけにできます）',
} as const

/** Returns a warning for a short line of six characters or more. The warning does not prevent a save. */
export function findWarning(name: MemberField, text: string) {
  return memberFields[name].kind === 'short line' && characterCount(text) >= 6 ? sentences.shortLine : null
}

/** Returns a key for comparing account names. Names that differ only in width or letter case have the same key. */
export function accountnameKey(accountname: string) {
  return cleanLine(normalize(accountname, 'NFKC').toLowerCase())
}

/** Splits a text into chunks of `size` characters, for display only. Joining the chunks returns the original text. */
export function splitIntoChunks(text: string, size: number) {
  // A character has at least one code unit, so a short text needs no count of its characters.
  if (text.length <= size) return text ? [text] : []
  const characters = graphemes(text)
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, index) =>
    characters.slice(index * size, (index + 1) * size).join(''),
  )
}
