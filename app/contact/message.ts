import { z } from 'zod'
import { cleanEmail, invalidEmail, isPlainEmail } from '../forms/email-address.ts'
import { textField } from '../forms/form-rules.ts'
import { recipientKeys } from '../settings/site-words.ts'
import { cleanLine } from '../ui/typed-text.ts'

export const sentences = {
  sent: '送信しました',
  failed: '送信に失敗しました',
  network: '通信エラーが発生しました',
} as const

export const NO_RECIPIENT = '宛先を選んでください'

export const MAX_SUBJECT = 200
export const MAX_TEXT = 5000

/** A visitor's message. `from` is the reply address, or null if the visitor left the field empty. */
export const MailMessage = z.object({
  to: z.enum(recipientKeys, { error: ({ input }) => (input ? sentences.failed : NO_RECIPIENT) }),
  subject: textField('件名', MAX_SUBJECT, cleanLine).min(1, '件名を入力してください'),
  text: textField('本文', MAX_TEXT).min(1, '本文を入力してください'),
  from: z
    .string(invalidEmail)
    .nullish()
    .transform((from) => cleanEmail(from ?? '') || null)
    .refine((from) => from === null || isPlainEmail(from), invalidEmail),
})
export type MailMessage = z.infer<typeof MailMessage>

export const MailReply = MailMessage.pick({ text: true })
