import { z } from 'zod'
import type { ApiTokenRow } from '../../db/tables.ts'
import { textField } from '../forms/form-rules.ts'
import { cleanLine } from '../ui/typed-text.ts'
import { currentPasswordForm } from './account-forms.ts'

export type ApiTokenScope = ApiTokenRow['scope']

export const MAX_API_TOKENS = 20

export const apiTokenScopes: Record<ApiTokenScope, string> = { read: '読み取りのみ', write: '読み取りと書き込み' }

export function apiTokenForm(requiresPassword: boolean) {
  return currentPasswordForm(requiresPassword).extend({
    name: textField('名前', 50, cleanLine).min(1, '名前を入力してください'),
    scope: z.enum(['read', 'write'], 'どちらかをお選びください'),
  })
}
