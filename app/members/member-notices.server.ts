import type { Kysely } from 'kysely'
import type { MemberRow, Tables } from '../../db/tables.ts'
import { mailBody } from '../mail/mail-body.ts'
import type { OutgoingMail } from '../mail/mailer.server.ts'
import { enqueue } from '../mail/outbox.server.ts'
import { circleName } from '../pages/pages.server.ts'
import { contextOf, type ReadVerifiedEmails, type RequestContext } from '../request.ts'
import { administratorsOf } from '../settings/roles.server.ts'
import { readSite } from '../settings/site.server.ts'
import { sentences } from './member.ts'

export type MemberNotices = {
  /** Enqueues a mail that is sent once the transaction `trx` has committed. */
  notify: (message: OutgoingMail, trx: Kysely<Tables>) => Promise<unknown>
  provenAddresses: ReadVerifiedEmails
  origin: string
}

export function memberNoticesOf(context: RequestContext): MemberNotices {
  return {
    notify: (message, trx) => enqueue(trx, message, { at: new Date(contextOf(context).clock()).toISOString() }),
    provenAddresses: contextOf(context).readVerifiedEmails,
    origin: contextOf(context).mailOrigin,
  }
}

type Registrant = { accountId: string; username: string; provenAddress: string | null; first: boolean }

/** Notifies the new member, and the other administrators with a verified e-mail address, else the shop. */
export async function announceRegistration(
  db: Kysely<Tables>,
  { accountId, username, provenAddress, first }: Registrant,
  around: MemberNotices,
) {
  const others = (await administratorsOf(db)).filter((other) => other !== accountId)
  const proven = await around.provenAddresses(others, db)
  const { name: shop, recipients } = await readSite(db)
  const circle = await circleName(db)
  const readers = proven.size > 0 ? [...proven.values()] : recipients.shop ? [recipients.shop] : []
  const end = { link: { label: 'メンバー一覧を開く', url: `${around.origin}/memberlist` }, signature: shop }

  for (const to of readers) {
    const paragraphs = [
      `${username} さんが${circle}のメンバー登録をしました。`,
      'メンバー一覧で内容をご確認のうえ、承認をお願いいたします。',
    ]
    const words = mailBody({ salutation: '管理者の皆さま', paragraphs, ...end })
    await around.notify({ to, subject: `【${shop}】メンバー登録がありました`, ...words }, db)
  }
  if (provenAddress) {
    const paragraphs = [
      `${circle}へのご登録、ありがとうございます。`,
      first ? `${sentences.firstMember}。` : `${sentences.awaiting}。承認までしばらくお待ちください。`,
    ]
    const words = mailBody({ salutation: `${username} 様`, paragraphs, ...end })
    await around.notify({ to: provenAddress, subject: `【${shop}】メンバー登録を受け付けました`, ...words }, db)
  }
}

/** Notifies a newly approved member. Returns 'unsent' without a verified e-mail, null if approval is not new. */
export async function announceApproval(db: Kysely<Tables>, before: MemberRow, after: MemberRow, around: MemberNotices) {
  if (before.admin || !after.admin) return null
  const to = after.accountId && (await around.provenAddresses([after.accountId], db)).get(after.accountId)
  if (!to) return 'unsent' as const
  const { name: shop } = await readSite(db)
  const words = mailBody({
    salutation: `${after.username} 様`,
    paragraphs: [
      `${await circleName(db)}のメンバー登録が承認されました。`,
      '参加申込とメンバー一覧をご覧いただけます。お会いできるのを楽しみにしております。',
    ],
    link: { label: 'メンバー一覧を開く', url: `${around.origin}/memberlist` },
    signature: shop,
  })
  await around.notify({ to, subject: `【${shop}】メンバー登録が承認されました`, ...words }, db)
  return 'sent' as const
}
