import { z } from 'zod'
import { formatDeadline, type ShownEvent } from '../calendar/event-format.ts'
import { isRsvpClosed } from '../calendar/rsvp.ts'
import { timeInJapan } from '../dates/japan.ts'
import { formatDay } from '../dates/month.ts'
import { textField } from '../forms/form-rules.ts'
import { cleanLine } from '../ui/typed-text.ts'

/** The groups of recipients. `coming` and `unanswered` refer to an event. */
export const audiences = {
  all: '承認されたメンバー全員',
  coming: '予定に参加する方',
  unanswered: '予定にまだ回答していない方',
  chosen: '選んだ方',
} as const
type Audience = keyof typeof audiences

export const MAX_CHOSEN = 1000

export const CircleMessage = z
  .object({
    audience: z.enum(Object.keys(audiences) as [Audience], '宛先を選んでください'),
    event: z.string().default(''),
    member: z.array(z.string()),
    subject: textField('件名', 100, cleanLine).min(1, '件名を入力してください'),
    text: textField('本文', 5000).min(1, '本文を入力してください'),
  })
  .refine(({ audience, event }) => event || audience === 'all' || audience === 'chosen', {
    path: ['event'],
    error: '予定を選んでください',
  })
  .refine(({ audience, member }) => audience !== 'chosen' || member.length > 0, {
    path: ['member'],
    error: '連絡する方を選んでください',
  })
export type CircleMessage = z.infer<typeof CircleMessage>

type Event = Pick<ShownEvent, 'title' | 'day' | 'deadline' | 'deadlineTime'> | null

export function describeAudience(audience: Audience, event: Event) {
  const isOfEvent = event && (audience === 'coming' || audience === 'unanswered')
  return isOfEvent ? audiences[audience].replace('予定', nameOf(event)) : audiences[audience]
}

/** Whether the e-mail of a message about the event has a link to the RSVP below the text. */
export function hasRsvpLink(event: Event, now: number) {
  return event !== null && !isRsvpClosed(event, timeInJapan(now))
}

/** Returns the prepared text of a message about an event. */
export function prepareMessage(audience: string | null, event: Event, now: number) {
  if (!event || audience !== 'unanswered' || !hasRsvpLink(event, now))
    return { subject: event ? `${nameOf(event)}について` : '', text: '' }
  const until = event.deadline ? `${formatDeadline(event)}までに、` : ''
  return {
    subject: `${nameOf(event)}の出欠をお知らせください`,
    text: `${nameOf(event)}の出欠を、まだお知らせいただいていません。\n${until}下のリンクから、参加・不参加・未定のどれかを選んでください。ログインは不要です。`,
  }
}

function nameOf({ title, day }: { title: string; day: string }) {
  return `「${title}」（${formatDay(day)}）`
}
