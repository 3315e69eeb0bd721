import { letter } from './letter.ts'
import type { Message } from './mailer.server.ts'

/** An event of the circle, for a mail to one member; `day` is formatted as 11月28日（土）. */
export type EventNotice = { to: string; name: string; shop: string; title: string; day: string; url: string }

/** `changes` has a line for each change; `answerable`: whether the RSVP can still be changed. */
export function eventChangedMail(
  { to, name, shop, title, day, url }: EventNotice,
  changes: string[],
  answerable: boolean,
): Message {
  return {
    to,
    subject: `【${shop}】「${title}」の予定が変わりました`,
    ...letter({
      salutation: `${name} 様`,
      paragraphs: [
        `ご回答いただいた「${title}」（${day}）の予定が変わりました。`,
        changes.join('\n'),
        ...(answerable ? ['ご都合が変わるときは、お手数ですが回答を改めてください。'] : []),
      ],
      link: { label: '予定を開く', url },
      signature: shop,
    }),
  }
}

export function eventCancelledMail({ to, name, shop, title, day, url }: EventNotice): Message {
  return {
    to,
    subject: `【${shop}】「${title}」は中止になりました`,
    ...letter({
      salutation: `${name} 様`,
      paragraphs: [
        `ご回答いただいた「${title}」（${day}）は中止になりました。`,
        'ご予定くださっていたところ申し訳ございません。またのご参加をお待ちしております。',
      ],
      link: { label: 'カレンダーを開く', url },
      signature: shop,
    }),
  }
}

/** Returns the reminder for a member without an RSVP, two days before `deadline` (formatted like `day`). */
export function answerReminderMail({ to, name, shop, title, day, url }: EventNotice, deadline: string): Message {
  return {
    to,
    subject: `【${shop}】「${title}」の出欠をお知らせください`,
    ...letter({
      salutation: `${name} 様`,
      paragraphs: [
        `「${title}」（${day}）の出欠を、まだお知らせいただいていません。`,
        `${deadline}までに、ご都合をお知らせください。欠席の場合もお願いいたします。`,
      ],
      link: { label: '出欠を答える', url },
      signature: shop,
    }),
  }
}
