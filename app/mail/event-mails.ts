import { shopMail } from './mail-body.ts'
import type { OutgoingMail } from './mailer.server.ts'

type Addressee = { to: string; name: string; shop: string; unsubscribeUrl: string }

/** An event of the circle, for an e-mail to one member. `day` is formatted as 11月28日（土）. */
export type EventNotice = Addressee & { title: string; day: string; url: string }

/** `isAnswerLink` is true if the URL of the notice accepts an RSVP without a sign-in. */
export function newEventMail(notice: EventNotice, facts: string[], isAnswerLink: boolean) {
  const howToAnswer = isAnswerLink ? '、ログインせずに出欠を回答できます。' : 'ログインして、各回の出欠を回答できます。'
  return eventMail(notice, `「${notice.title}」（${notice.day}）のご案内`, RSVP_LABEL, [
    `サークルの新しい予定のお知らせです。下のリンクから${howToAnswer}`,
    [notice.title, ...facts].join('\n'),
  ])
}

/** Returns the message of an organiser. `url` leads to the member's RSVP, or is null for a message without an event. */
export function circleMessageMail(addressee: Addressee, { subject, text, url }: CircleMessage) {
  return memberMail(addressee, subject, [text], url ? { label: RSVP_LABEL, url } : undefined)
}

type CircleMessage = { subject: string; text: string; url: string | null }

const RSVP_LABEL = '出欠を回答する'

/**
 * Returns the e-mail about a changed event. `changes` has a line for each change. `answerable` is true if the RSVP can
 * still be changed.
 */
export function eventChangedMail(notice: EventNotice, changes: string[], answerable: boolean) {
  return eventMail(notice, `「${notice.title}」の予定が変わりました`, '予定を開く', [
    `ご回答いただいた「${notice.title}」（${notice.day}）の予定が変わりました。`,
    changes.join('\n'),
    ...(answerable ? ['ご都合が変わるときは、お手数ですが回答を変更してください。'] : []),
  ])
}

export function eventCancelledMail(notice: EventNotice) {
  return eventMail(notice, `「${notice.title}」は中止になりました`, 'カレンダーを開く', [
    `ご回答いただいた「${notice.title}」（${notice.day}）は中止になりました。`,
    'ご予定くださっていたところ申し訳ございません。またのご参加をお待ちしております。',
  ])
}

/**
 * Returns the reminder for a member who has no RSVP, two days before `deadline`. `deadline` is formatted like `day`.
 */
export function rsvpReminderMail(notice: EventNotice, deadline: string) {
  return eventMail(notice, `「${notice.title}」の出欠をお知らせください`, RSVP_LABEL, [
    `「${notice.title}」（${notice.day}）の出欠を、まだお知らせいただいていません。`,
    `${deadline}までに、ご都合をお知らせください。不参加の場合もお願いいたします。`,
  ])
}

/** `answerable` is true if the RSVP can still be changed. */
export function movedUpMail(notice: EventNotice, answerable: boolean) {
  return eventMail(notice, `「${notice.title}」に空きが出て、参加になりました`, '予定を開く', [
    `「${notice.title}」（${notice.day}）に空きが出て、キャンセル待ちから参加になりました。`,
    'お会いできるのを楽しみにしております。',
    ...(answerable ? ['ご都合が変わったときは、お手数ですが回答を変更してください。'] : []),
  ])
}

export function fellBackMail(notice: EventNotice, waitlistPosition: number) {
  return eventMail(notice, `「${notice.title}」はキャンセル待ちになりました`, '予定を開く', [
    `「${notice.title}」（${notice.day}）は、定員または参加される方の変更により、キャンセル待ちの${waitlistPosition}番目になりました。`,
    '申し訳ございません。空きが出ると自動で参加になり、メールでお知らせします。',
  ])
}

/** Returns the e-mail to the administrators. `seats` is the number of people who still come. */
export function withdrawalMail(
  { to, shop, title, day, url }: Omit<EventNotice, 'name' | 'unsubscribeUrl'>,
  { member, seats }: { member: string; seats: number },
): OutgoingMail {
  const paragraphs = [`${member}が「${title}」（${day}）の参加を取り消しました。`, `現在の参加は${seats}名です。`]
  const link = { label: '予定を開く', url }
  const subject = `「${title}」の参加の取り消しがありました`
  return { to, ...shopMail(shop, { subject, salutation: '管理者の皆さま', paragraphs, link }) }
}

function eventMail(notice: EventNotice, subject: string, label: string, paragraphs: string[]) {
  return memberMail(notice, subject, paragraphs, { label, url: notice.url })
}

type Link = { label: string; url: string } | undefined

function memberMail(addressee: Addressee, subject: string, paragraphs: string[], link: Link): OutgoingMail {
  const { to, name, shop, unsubscribeUrl } = addressee
  const content = { subject, salutation: `${name} 様`, paragraphs, link, unsubscribeUrl }
  return { to, unsubscribeUrl, ...shopMail(shop, content) }
}
