import { type MailLink, mailBody } from './mail-body.ts'
import type { OutgoingMail } from './mailer.server.ts'

type Addressee = { to: string; name: string; shop: string; unsubscribeUrl: string }

/** An event of the circle, for an e-mail to one member. `day` is formatted as 11月28日（土）. */
export type EventNotice = Addressee & { title: string; day: string; url: string }

/** A new event. `time` is empty for an all-day event, and `deadline` is formatted like `day` or null. */
export type NewEvent = Pick<EventNotice, 'title' | 'day' | 'url'> & { time: string; deadline: string | null }

const MAX_NEW_EVENTS = 10

/** Returns the e-mail about one or more new events. The link of each event leads to the page of the recipient's RSVP. */
export function newEventsMail(addressee: Addressee, events: NewEvent[]) {
  const [first] = events
  const isOne = events.length === 1
  const others = events.length - MAX_NEW_EVENTS
  const subject =
    isOne && first ? `「${first.title}」（${first.day}）のご案内` : `新しい予定が${events.length}件あります`
  return memberMail(addressee, subject, [
    'サークルの新しい予定のお知らせです。リンクを開くと、ログインせずに出欠を回答できます。',
    ...events.slice(0, MAX_NEW_EVENTS).flatMap(({ title, day, time, deadline, url }) => {
      const lines = [title, `${day} ${time}`.trim(), deadline && `回答の締切：${deadline}`]
      return [lines.filter(Boolean).join('\n'), { label: isOne ? RSVP_LABEL : `「${title}」（${day}）に回答する`, url }]
    }),
    ...(others > 0 ? [`ほかに${others}件の予定があります。`] : []),
  ])
}

/** Returns the message of an organiser to a member. `url` is the link to the member's RSVP, or null without an event. */
export function circleMessageMail(addressee: Addressee, { subject, text, url }: CircleMessage) {
  return memberMail(addressee, subject, [text, ...(url ? [{ label: RSVP_LABEL, url }] : [])])
}

type CircleMessage = { subject: string; text: string; url: string | null }

const RSVP_LABEL = '出欠を回答する'

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
  return eventMail(notice, `「${title}」の出欠をお知らせください`, RSVP_LABEL, [
    `「${title}」（${day}）の出欠を、まだお知らせいただいていません。`,
    `${deadline}までに、ご都合をお知らせください。不参加の場合もお願いいたします。`,
  ])
}

function eventMail(notice: EventNotice, subject: string, label: string, paragraphs: string[]) {
  return memberMail(notice, subject, [...paragraphs, { label, url: notice.url }])
}

function memberMail(
  { to, name, shop, unsubscribeUrl }: Addressee,
  subject: string,
  paragraphs: (string | MailLink)[],
): OutgoingMail {
  const body = mailBody({ salutation: `${name} 様`, paragraphs, signature: shop, unsubscribeUrl })
  return { to, subject: `【${shop}】${subject}`, unsubscribeUrl, ...body }
}
