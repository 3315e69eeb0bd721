import { z } from 'zod'
import { formatDay } from '../dates/month.ts'
import { textField } from '../forms/form-rules.ts'
import { cleanLine } from '../ui/typed-text.ts'

/** The groups of recipients. `coming` and `unanswered` refer to an event. */
export const audienceLabels = {
  all: '承認されたメンバー全員',
  coming: '予定に参加する方',
  unanswered: '予定にまだ回答していない方',
  chosen: '選んだ方',
} as const
export type Audience = keyof typeof audienceLabels

export function isAudience(text: string): text is Audience {
  return Object.hasOwn(audienceLabels, text)
}

const audiences = Object.keys(audienceLabels) as [Audience, ...Audience[]]
export const MAX_CHOSEN = 1000

export const CircleMessage = z
  .object({
    audience: z.enum(audiences, '宛先を選んでください'),
    event: z.string().default(''),
    member: z.array(z.string()).max(MAX_CHOSEN),
    subject: textField('件名', 100, cleanLine).min(1, '件名を入力してください'),
    text: textField('本文', 5000).min(1, '本文を入力してください'),
  })
  .superRefine(({ audience, event, member }, context) => {
    const addError = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message })
    if ((audience === 'coming' || audience === 'unanswered') && !event) addError('event', '予定を選んでください')
    if (audience === 'chosen' && member.length === 0) addError('member', '連絡する方を選んでください')
  })
export type CircleMessage = z.infer<typeof CircleMessage>

type Event = { title: string; day: string; deadline: string | null }

export function describeAudience(audience: Audience, event: Event | null) {
  if (!event || audience === 'all' || audience === 'chosen') return audienceLabels[audience]
  const name = `「${event.title}」（${formatDay(event.day)}）`
  return audience === 'coming' ? `${name}に参加する方` : `${name}にまだ回答していない方`
}

/** Returns the prepared text of a message about an event. The e-mail adds the link to the RSVP below the text. */
export function prepareMessage(audience: Audience, event: Event | null) {
  if (!event) return { subject: '', text: '' }
  const name = `「${event.title}」（${formatDay(event.day)}）`
  if (audience !== 'unanswered') return { subject: `${name}について`, text: '' }
  const until = event.deadline ? `${formatDay(event.deadline)}までに、` : ''
  return {
    subject: `${name}の出欠をお知らせください`,
    text: `${name}の出欠を、まだお知らせいただいていません。\n${until}下のリンクから、参加・不参加・未定のどれかを選んでください。ログインは不要です。`,
  }
}
