import type { Kysely } from 'kysely'
import { addAccount } from '../../app/accounts/accounts.server.ts'
import { hashPassword } from '../../app/accounts/password-hash.server.ts'
import { manageMember } from '../../app/members/administration.server.ts'
import type { MemberFields } from '../../app/members/member.ts'
import { registerMember } from '../../app/members/registration.server.ts'
import type { Visitor } from '../../app/permissions.ts'
import { newSave } from '../../app/records/record.ts'
import { rolesOf } from '../../app/settings/roles.server.ts'
import { addStaff } from '../../app/staff/staff.server.ts'
import type { Tables } from '../../db/tables.ts'
import { inTransaction } from '../../db/transaction.ts'

/** Demo people, also used by tests. `editor` and `manager` belong to the shop only; `manager` also runs the site. */
export type Person = 'guest' | 'signedIn' | 'applicant' | 'approved' | 'administrator' | OfTheShop
type OfTheShop = 'editor' | 'manager'

type Account = Omit<NonNullable<Visitor>, 'member' | 'staff'>

export const demoAccounts = {
  signedIn: { accountId: 'demo-signed-in', name: '旅野 人', email: 'tabino@example.jp', emailVerified: true },
  applicant: { accountId: 'demo-applicant', name: '若葉 翔', email: 'wakaba@example.jp', emailVerified: true },
  approved: { accountId: 'demo-approved', name: '桜井 花', email: 'sakurai@example.jp', emailVerified: true },
  editor: { accountId: 'demo-editor', name: '土鍋 実', email: 'donabe@example.jp', emailVerified: true },
  manager: { accountId: 'demo-manager', name: '番頭 守', email: 'banto@example.jp', emailVerified: true },
  administrator: { accountId: 'demo-administrator', name: '暖簾 結', email: 'noren@example.jp', emailVerified: true },
} satisfies Record<Exclude<Person, 'guest'>, Account>

const members: Record<'applicant' | 'approved' | 'administrator', MemberFields> = {
  administrator: {
    username: '暖簾 結',
    accountname: '結',
    email: 'noren@example.jp',
    address: '京都市東山区結び小路 上る',
    telNum: '075-000-0001',
    profile: '店とサークルの世話をしています。朝は店、土曜日はコートにいます。',
    tennisExperience: '二十年',
    racquetUsed: '木の名品',
    favoriteShot: 'ロブ',
    strengths: '長いラリーを続けること。今年は両手打ちに挑戦しています。',
    strengthsWeaknesses: '粘り強いところと、欲を出すと力むところ。',
    struggles: '朝が早いので、夕方には足が止まります。',
    playerStyle: '守り型',
    tennisPhilosophy: '勝ち負けよりも、また来週も集まれること。',
    mainAchievements: '町内の親睦試合で準優勝しました。',
    hobbiesSkills: '器集めと、出汁をひくこと。',
  },
  approved: {
    username: '桜井 花',
    accountname: 'はな',
    email: 'sakurai@example.jp',
    address: '京都市左京区下鴨 見本町1',
    telNum: '075-000-0002',
    profile: '社会人になってから始めました。初めての方のお相手も喜んで。',
    tennisExperience: '三年',
    racquetUsed: '軽い物',
    favoriteShot: 'サーブ',
    strengths: '声を出して場を明るくすること。',
    strengthsWeaknesses: '足は速いのですが、止まるのが苦手です。',
    struggles: 'バックハンドの高い球。',
    playerStyle: '攻め型',
    tennisPhilosophy: '楽しく、けがなく。',
    mainAchievements: '初心者大会で一勝しました。',
    hobbiesSkills: '写真と、自転車での散歩。',
  },
  applicant: {
    username: '若葉 翔',
    accountname: 'かける',
    email: 'wakaba@example.jp',
    address: '京都市伏見区見本町2',
    telNum: '075-000-0003',
    profile: '学生のころ以来、十年ぶりにラケットを握ります。',
    tennisExperience: '中学三年',
    racquetUsed: 'これから',
    favoriteShot: 'ボレー',
    strengths: '体力づくりに、毎朝走っています。',
    strengthsWeaknesses: '元気なところと、少しせっかちなところ。',
    struggles: '力の抜き方。',
    playerStyle: '前衛',
    tennisPhilosophy: 'ダブルスは会話だと思います。',
    mainAchievements: '中学の団体戦で地区三位。',
    hobbiesSkills: '朝の喫茶店めぐり。',
  },
}

const nobodyIsTold = { notify: async () => {}, provenAddresses: async () => new Map<string, string>(), origin: '' }

export async function registerPeople(db: Kysely<Tables>, now: number): Promise<Record<Person, Visitor>> {
  const at = new Date(now).toISOString()
  const visitorOf = visitorsOf(db)
  for (const person of ['administrator', 'approved', 'applicant'] as const) {
    await registerMember(db, await visitorOf(demoAccounts[person]), members[person], {
      form: { owner: demoAccounts[person].accountId, form: 'member', key: '', at },
      rules: { ownerEmail: undefined, addressMustBeProven: false },
      around: nobodyIsTold,
    })
  }
  const administrator = await visitorOf(demoAccounts.administrator)
  const { member } = await visitorOf(demoAccounts.approved)
  if (member) await manageMember(db, administrator, member.id, 'approve', { at, around: nobodyIsTold })
  return {
    guest: null,
    signedIn: await visitorOf(demoAccounts.signedIn),
    applicant: await visitorOf(demoAccounts.applicant),
    approved: await visitorOf(demoAccounts.approved),
    administrator: await visitorOf(demoAccounts.administrator),
    editor: await visitorOf(demoAccounts.editor),
    manager: await visitorOf(demoAccounts.manager),
  }
}

export async function hireStaff(db: Kysely<Tables>, now: number): Promise<Record<OfTheShop, Visitor>> {
  const at = new Date(now).toISOString()
  await inTransaction(db, async (trx) => {
    for (const [person, role] of [
      ['editor', 'editing'],
      ['manager', 'administration'],
    ] as const) {
      const { accountId, name } = demoAccounts[person]
      await addStaff(trx, { accountId, name, role }, newSave({ accountId: null, at }, 'add'))
    }
  })
  const visitorOf = visitorsOf(db)
  return { editor: await visitorOf(demoAccounts.editor), manager: await visitorOf(demoAccounts.manager) }
}

function visitorsOf(db: Kysely<Tables>) {
  return async (account: Account) => ({ ...account, ...(await rolesOf(db, account.accountId)) })
}

export async function openAccounts(db: Kysely<Tables>, password: string, now: number) {
  const hash = await hashPassword(password)
  for (const { accountId: id, name, email } of Object.values(demoAccounts)) {
    await addAccount(db, { id, name, email, hash }, new Date(now).toISOString())
  }
}
