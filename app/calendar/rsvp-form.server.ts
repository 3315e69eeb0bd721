import type { Trx } from '../../db/tables.ts'
import { timeInJapan } from '../dates/japan.ts'
import type { Submission } from '../forms/form-action.server.ts'
import { runOnce, submissionKeyOf } from '../forms/idempotency.server.ts'
import { denied, Rejection, unwrap } from '../forms/outcome.ts'
import { isResting, mayRsvp, nextStepToApproval } from '../permissions.ts'
import { fitsIn } from '../ui/characters.ts'
import { cleanText } from '../ui/typed-text.ts'
import { isRsvp, MAX_COMPANIONS, MAX_NOTE_LENGTH, rsvpLabels } from './rsvp.ts'
import { saveRsvp } from './rsvps.server.ts'

export const rsvpFields = ['event', 'answer', 'note', 'companions', 'version', 'once']

const PERMISSION_DENIED = '出欠の回答は、承認されたメンバーだけが行えます。'
export const rsvpSentences = {
  missing: 'この予定は中止になったか、出欠の受付を終了しました。',
  conflict: 'ほかの画面で先に回答されています。現在の回答をご確認のうえ、もう一度お試しください。',
}

/** Handles the RSVP form. If `answer` is empty, withdraws the RSVP. */
export async function saveRsvpForm(submission: Submission) {
  const { db, clock, visitor, field, seen, author } = submission
  const [event, answer, note] = [field('event'), field('answer'), cleanText(field('note'))]
  if (isResting(visitor)) throw denied(visitor, '休会中は回答できません。メンバー一覧から復帰してください。')
  if (!visitor?.member || !mayRsvp(visitor))
    throw denied(visitor, PERMISSION_DENIED + (visitor ? nextStepToApproval(visitor) : 'ログインしてください。'))
  if (answer !== '' && !isRsvp(answer)) throw new Rejection('参加・不参加・未定から選んでください。', 400)
  if (!fitsIn(note, MAX_NOTE_LENGTH)) throw new Rejection(`ひとことは${MAX_NOTE_LENGTH}文字までです。`, 400)
  const companions = parseCompanions(field('companions'))

  const rsvp = answer === '' ? null : { answer, note, companions }
  const input = { eventId: event, memberId: visitor.member.id, ...seen, said: rsvp }
  const now = timeInJapan(clock())
  const key = submissionKeyOf(submission, `answer ${event}`)
  const saveOnce = async (trx: Trx) => unwrap(await saveRsvp(trx, input, author, now), rsvpSentences)
  const { before, version, save } = await runOnce(db, key, saveOnce)
  const done = rsvp ? `「${rsvpLabels[rsvp.answer]}」と回答しました。` : '回答を取り消しました。'
  const fields = {
    event,
    answer: before?.answer ?? '',
    note: before?.note ?? '',
    companions: String(before?.companions ?? 0),
    version: String(version),
  }
  return { done, undo: { action: '/memberlist', fields }, save }
}

/** Returns the number of companions. Throws a `Rejection` if the number is invalid. */
export function parseCompanions(text: string) {
  const companions = Number(text)
  if (!Number.isInteger(companions) || companions < 0 || companions > MAX_COMPANIONS)
    throw new Rejection(`お連れ様は${MAX_COMPANIONS}名までです。`, 400)
  return companions
}
