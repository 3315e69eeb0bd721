import type { Db, MemberRow } from '../../db/tables.ts'
import { shopMail } from '../mail/mail-body.ts'
import type { OutgoingMail } from '../mail/mailer.server.ts'
import { enqueue } from '../mail/outbox.server.ts'
import { circleName } from '../pages/pages.server.ts'
import type { Visitor } from '../permissions.ts'
import { enqueueNotification } from '../push/notifications.server.ts'
import { authorOf, contextOf, type ReadVerifiedEmails, type RequestContext } from '../request.ts'
import { listAdministrators } from '../settings/roles.server.ts'
import { readSite } from '../settings/site.server.ts'
import { sentences } from './member.ts'

export type MemberNotices = {
  /** Enqueues an e-mail. The e-mail is sent after the transaction `trx` has committed. */
  notify: (message: OutgoingMail, trx: Db) => Promise<unknown>
  readVerifiedEmails: ReadVerifiedEmails
  origin: string
}

export function memberNoticesOf(context: RequestContext): MemberNotices {
  const { readVerifiedEmails, mailOrigin: origin } = contextOf(context)
  return { readVerifiedEmails, origin, notify: (message, trx) => enqueue(trx, message, authorOf(context)) }
}

/**
 * Notifies the new member and the other administrators who have a verified e-mail address. If there are no such
 * administrators, notifies the shop.
 */
export async function announceRegistration(
  db: Db,
  { accountId, email, emailVerified }: NonNullable<Visitor>,
  { username, administrator: isFirst, updatedAt: at }: MemberRow,
  notices: MemberNotices,
) {
  const { name: shop } = await readSite(db)
  const circle = await circleName(db)
  const link = { label: 'メンバー一覧を開く', url: `${notices.origin}/memberlist` }

  if (!isFirst) {
    const texts = { title: '承認待ちのメンバーがいます', body: 'メンバー一覧でご確認ください。' }
    await enqueueNotification(db, { kind: 'registration', ...texts, path: '/memberlist' }, { at })
  }
  for (const to of await readOrganiserEmails(db, accountId, notices.readVerifiedEmails)) {
    const paragraphs = [
      `${username} さんが${circle}のメンバー登録をしました。`,
      'メンバー一覧で内容をご確認のうえ、承認をお願いいたします。',
    ]
    const mail = shopMail(shop, { subject: 'メンバー登録がありました', salutation: '管理者の皆さま', paragraphs, link })
    await notices.notify({ to, ...mail }, db)
  }
  if (emailVerified) {
    const paragraphs = [
      `${circle}へのご登録、ありがとうございます。`,
      isFirst ? `${sentences.firstMember}。` : `${sentences.awaiting}。承認までしばらくお待ちください。`,
    ]
    const mail = shopMail(shop, {
      subject: 'メンバー登録を受け付けました',
      salutation: `${username} 様`,
      paragraphs,
      link,
    })
    await notices.notify({ to: email, ...mail }, db)
  }
}

/**
 * Returns the verified e-mail addresses of the administrators, except the author. If there are none, returns the
 * address of the shop.
 */
export async function readOrganiserEmails(db: Db, author: string | null, readVerifiedEmails: ReadVerifiedEmails) {
  const otherIds = (await listAdministrators(db)).filter((other) => other !== author)
  const verifiedEmails = await readVerifiedEmails(otherIds, db)
  if (verifiedEmails.size > 0) return [...verifiedEmails.values()]
  const { recipients } = await readSite(db)
  return recipients.shop ? [recipients.shop] : []
}

/**
 * Notifies a newly approved member. Returns 'unsent' if the member has no verified e-mail address, or null if the
 * member is not newly approved.
 */
export async function announceApproval(db: Db, before: MemberRow, after: MemberRow, notices: MemberNotices) {
  if (before.admin || !after.admin) return null
  const to = after.accountId && (await notices.readVerifiedEmails([after.accountId], db)).get(after.accountId)
  if (!to) return 'unsent' as const
  const { name: shop } = await readSite(db)
  const mail = shopMail(shop, {
    subject: 'メンバー登録が承認されました',
    salutation: `${after.username} 様`,
    paragraphs: [
      `${await circleName(db)}のメンバー登録が承認されました。`,
      '参加申込とメンバー一覧をご覧いただけます。お会いできるのを楽しみにしております。',
    ],
    link: { label: 'メンバー一覧を開く', url: `${notices.origin}/memberlist` },
  })
  await notices.notify({ to, ...mail }, db)
  return 'sent' as const
}
