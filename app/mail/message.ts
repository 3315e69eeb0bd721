import { z } from 'zod'
import { isPlainAddress, notAnAddress } from '../email-address.ts'
import { recipientKeys } from '../site/site-words.ts'
import { isBlank } from '../ui/blank.ts'
import { atMost } from '../ui/characters.ts'

export const sentences = {
  sent: '送信しました',
  failed: '送信に失敗しました',
  network: '通信エラーが発生しました',
} as const

/** What someone reads who has written too often, or whose network has: how else the shop is reached. */
export function tooManyMessages(telephone: string) {
  const call = telephone
    ? `お急ぎのときは、お電話（${telephone}）でお願いいたします。`
    : 'お急ぎのときは、店舗案内の連絡先へお願いいたします。'
  return `続けてお送りいただける数を超えました。1時間ほどおいてから、もう一度お試しください。${call}`
}

/** Said of a recipient that the site does not have. */
export const NO_RECIPIENT = '宛先を選んでください'

export const MAX_SUBJECT = 200
export const MAX_TEXT = 5000

// Line breaks make headers; marks that turn the writing direction make one address look like another.
const CONTROL = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u
// What may stay in a text of several lines; nothing else below a space.
const CONTROL_IN_TEXT = /[^\P{Cc}\t\n]/gu

const line = (missing: string) =>
  z
    .string(missing)
    .refine((value) => !isBlank(value), { error: missing, abort: true })
    .refine((value) => !CONTROL.test(value), { error: '使えない文字が含まれています', abort: true })
    .trim()

/** A message as a visitor writes it; `from` is where an answer goes. */
export const MailMessage = z.object({
  to: z.enum(recipientKeys, { error: ({ input }) => (input ? sentences.failed : NO_RECIPIENT) }),
  subject: line('件名を入力してください')
    .transform((subject) => subject.toWellFormed())
    .refine(atMost(MAX_SUBJECT), `件名は${MAX_SUBJECT}文字までです`),
  text: z
    .string('本文を入力してください')
    .transform((text) => text.replace(/\r\n?/g, '\n').replace(CONTROL_IN_TEXT, '').trimEnd().toWellFormed())
    .refine((text) => !isBlank(text), { error: '本文を入力してください', abort: true })
    .refine(atMost(MAX_TEXT), `本文は${MAX_TEXT}文字までです`),
  from: z
    .string(notAnAddress)
    .nullish()
    .transform((from) => (from && !isBlank(from.replace(CONTROL, 'x')) ? from : null))
    .refine((from) => from === null || isPlainAddress(from), notAnAddress),
})
export type MailMessage = z.infer<typeof MailMessage>

/** An answer, written in the inbox. */
export const MailReply = MailMessage.pick({ text: true })
