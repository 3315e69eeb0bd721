import { z } from 'zod'
import type { ApiTokenRow } from '../../db/tables.ts'
import { cleanEmail, invalidEmail, isPlainEmail } from '../forms/email-address.ts'
import { textField } from '../forms/form-rules.ts'
import { cleanLine } from '../ui/typed-text.ts'
import { type PasswordPolicy, passwordRules } from './password.ts'

const email = z
  .string('メールアドレスを入力してください')
  .overwrite(cleanEmail)
  .toLowerCase()
  .refine((text) => text.length <= 254, { error: 'メールアドレスは254文字までです', abort: true })
  .refine(isPlainEmail, invalidEmail)

export const MAX_NAME_LENGTH = 50

const anyPassword = z.string('パスワードを入力してください').max(1000, 'パスワードが長すぎます')

function newPassword(policy: PasswordPolicy) {
  const rules = passwordRules(policy)
  return z.string('パスワードを入力してください').superRefine((password, context) => {
    const unmet = rules.filter(({ isMet }) => !isMet(password)).map(({ text }) => text)
    if (unmet.length > 0) context.addIssue(`パスワードは次のようにしてください：${unmet.join('、')}`)
  })
}

export const EmailLoginForm = z.object({ email, password: anyPassword })

export const EmailForm = z.object({ email })

export function signUpForm(policy: PasswordPolicy) {
  return z.object({
    name: textField('お名前', MAX_NAME_LENGTH, cleanLine).min(1, 'お名前を入力してください'),
    email,
    password: newPassword(policy),
  })
}

export function resetForm(policy: PasswordPolicy) {
  return z.object({ token: z.string('リンクをもう一度開いてください'), password: newPassword(policy) })
}

export function passwordForm(policy: PasswordPolicy) {
  return z.object({ current: anyPassword, password: newPassword(policy) })
}

export const EmailChangeForm = z.object({ email, current: anyPassword })

export function currentPasswordForm(requiresPassword: boolean) {
  return z.object({ current: requiresPassword ? anyPassword : anyPassword.optional() })
}

const givenName = textField('名前', 50, cleanLine).min(1, '名前を入力してください')

export const MAX_PASSKEYS = 20

export const PASSKEY_REFUSED =
  'パスキーでログインできませんでした。もう一度お試しいただくか、ほかの方法でログインしてください。'

export const PasskeyNameForm = z.object({ name: givenName })

export function newPasskeyForm(requiresPassword: boolean) {
  return currentPasswordForm(requiresPassword).extend({ name: givenName })
}

export type ApiTokenScope = ApiTokenRow['scope']

export const MAX_API_TOKENS = 20

export const apiTokenScopes: Record<ApiTokenScope, string> = { read: '読み取りのみ', write: '読み取りと書き込み' }

export function apiTokenForm(requiresPassword: boolean) {
  return currentPasswordForm(requiresPassword).extend({
    name: givenName,
    scope: z.enum(['read', 'write'], 'どちらかをお選びください'),
  })
}

export function deleteAccountForm(requiresPassword: boolean) {
  return currentPasswordForm(requiresPassword).extend({
    agreed: z.literal('on', '退会の内容をご確認のうえ、チェックを入れてください'),
  })
}
