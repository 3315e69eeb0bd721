import { data } from 'react-router'
import { dayInJapan } from '../dates/japan.ts'
import { failed } from '../forms/answered.server.ts'
import { once } from '../forms/once.server.ts'
import type { SaveAnswer } from '../forms/save-answer.ts'
import { seenIn } from '../forms/seen-version.ts'
import { mayAnswer, untilApproved } from '../permissions.ts'
import { authorOf, contextOf, type RequestContext } from '../request.ts'
import { fitsIn } from '../ui/characters.ts'
import { cleanText } from '../ui/typed-text.ts'
import { answering, answers, isAnswer, NOTE_LENGTH } from './answer.ts'
import { type AnswerOutcome, answerEvent } from './answers.server.ts'

export const answerFields = ['event', 'answer', 'note', 'version', 'once']

/** Handles the RSVP form; an empty `answer` withdraws the RSVP. */
export async function receiveAnswer(context: RequestContext, form: FormData) {
  const { visitor } = contextOf(context)
  const sent = (name: string) => String(form.get(name) ?? '')
  const [event, answer, note] = [sent('event'), sent('answer'), cleanText(sent('note'))]
  const intent = answering(event)
  const told = (status: number, said: SaveAnswer) => data({ ...said, intent }, { status })

  const refusal = '出欠のお答えは、承認されたメンバーだけが行えます。'
  if (!visitor) return told(401, { trouble: `${refusal}ログインしてください。`, signIn: true })
  if (!visitor.member || !mayAnswer(visitor)) return told(403, { trouble: refusal + untilApproved(visitor) })
  if (answer !== '' && !isAnswer(answer)) return told(400, { trouble: '参加・不参加・未定から選んでください。' })
  if (!fitsIn(note, NOTE_LENGTH)) return told(400, { trouble: `ひとことは${NOTE_LENGTH}文字までです。` })

  const author = authorOf(context)
  const said = answer === '' ? null : { answer, note }
  const given = { eventId: event, memberId: visitor.member.id, ...seenIn(form), said }
  const sending = { owner: visitor.accountId, form: `answer ${event}`, key: sent('once').slice(0, 64), at: author.at }
  const today = dayInJapan(contextOf(context).clock())
  try {
    const result = await once(contextOf(context).db, sending, (trx) => answerEvent(trx, given, author, today))
    if (result.outcome !== 'saved') {
      const [status, trouble] = refusals[result.outcome]
      return told(status, { trouble })
    }
    const done = said ? `「${answers[said.answer]}」とお答えいただきました。` : 'お答えを取り消しました。'
    const { answer: formerly = '', note: noted = '' } = result.before ?? {}
    const fields = { event, answer: formerly, note: noted, version: String(result.version) }
    return told(200, { done, undo: { action: '/memberlist', fields }, save: result.save })
  } catch (error) {
    return told(...failed(context, error))
  }
}

const refusals: Record<Exclude<AnswerOutcome['outcome'], 'saved'>, [number, string]> = {
  missing: [404, 'この予定は取りやめになったか、出欠をとらなくなりました。'],
  over: [409, '締切を過ぎたため、お答えを変えられません。'],
  newer: [409, 'ほかの画面で先にお答えになっています。いまのお答えをご確認のうえ、もう一度お試しください。'],
}
