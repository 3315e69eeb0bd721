import { mailBody } from './mail-body.ts'
import type { OutgoingMail } from './mailer.server.ts'

/** An event of the circle, for an e-mail to one member. `day` is formatted as 11月28日（土）. */
export type EventNotice = { to: string; name: string; shop: string; title: string; day: string; url: string }

/**
 * Returns the e-mail about a changed event. `changes` has a line for each change. `answerable` is true if the RSVP can
 * still be changed.
 */
export function eventChangedMail(notice: EventNotice, changes: string[], answerable: boolean) {
  const { title, day } = notice
  return eventMail(notice, `「${title}」の予定が変わりました`, '予定を開く', [
    `ご回答いただいた「${title}」（${day}）の予定が変わりました。`,
    changes.join('\n'),
    ...(answerable ? ['ご都合が変わるときは、お手数ですが回答を変更してください。'] : []),
  ])
}

export function eventCancelledMail(notice: EventNotice) {
  const { title, day } = notice
  return eventMail(notice, `「${title}」は中止になりました`, 'カレンダーを開く', [
    `ご回答いただいた「${title}」（${day}）は中止になりました。`,
    'ご予定くださっていたところ申し訳ございません。またのご参加をお待ちしております。',
  ])
}

/**
 * Returns the reminder for a member who has no RSVP, two days before `deadline`. `deadline` is formatted like `day`.
 */
export function rsvpReminderMail(notice: EventNotice, deadline: string) {
  const { title, day } = notice
  return eventMail(notice, `「${title}」の出欠をお知らせください`, '出欠を回答する', [
    `「${title}」（${day}）の出欠を、まだお知らせいただいていません。`,
    `${deadline}までに、ご都合をお知らせください。不参加の場合もお願いいたします。`,
  ])
}

/** `answerable` is true if the RSVP can still be changed. */
export function movedUpMail(notice: EventNotice, answerable: boolean) {
  const { title, day } = notice
  return eventMail(notice, `「${title}」に空きが出て、参加になりました`, '予定を開く', [
    `「${title}」（${day}）に空きが出て、キャンセル待ちから参加になりました。`,
    'お会いできるのを楽しみにしております。',
    ...(answerable ? ['ご都合が変わったときは、お手数ですが回答を変更してください。'] : []),
  ])
}

export function fellBackMail(notice: EventNotice, waitlistPosition: number) {
  const { title, day } = notice
  return eventMail(notice, `「${title}」はキャンセル待ちになりました`, '予定を開く', [
    `「${title}」（${day}）は、定員または参加される方の変更により、キャンセル待ちの${waitlistPosition}番目になりました。`,
    '申し訳ございません。空きが出ると自動で参加になり、メールでお知らせします。',
  ])
}

/** Returns the e-mail to the administrators. `seats` is the number of people who still come. */
export function withdrawalMail(
  notice: Omit<EventNotice, 'name'>,
  { member, seats }: { member: string; seats: number },
) {
  const { title, day } = notice
  return eventMail(notice, `「${title}」の参加の取り消しがありました`, '予定を開く', [
    `${member}が「${title}」（${day}）の参加を取り消しました。`,
    `現在の参加は${seats}名です。`,
  ])
}

type Notice = Omit<EventNotice, 'name'> & Partial<EventNotice>

function eventMail(
  { to, name, shop, url }: Notice,
  subject: string,
  label: string,
  paragraphs: string[],
): OutgoingMail {
  const salutation = name === undefined ? '管理者の皆さま' : `${name} 様`
  const body = mailBody({ salutation, paragraphs, link: { label, url }, signature: shop })
  return { to, subject: `【${shop}】${subject}`, ...body }
}
