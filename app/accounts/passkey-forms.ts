import { z } from 'zod'
import { textField } from '../forms/form-rules.ts'
import { cleanLine } from '../ui/typed-text.ts'
import { currentPasswordForm } from './account-forms.ts'

export const MAX_PASSKEYS = 20

export const PASSKEY_REFUSED =
  'パスキーでログインできませんでした。もう一度お試しいただくか、ほかの方法でログインしてください。'

export const PasskeyNameForm = z.object({
  name: textField('名前', 50, cleanLine).min(1, '名前を入力してください'),
})

export function newPasskeyForm(requiresPassword: boolean) {
  return currentPasswordForm(requiresPassword).extend(PasskeyNameForm.shape)
}
