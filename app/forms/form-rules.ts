import { z } from 'zod'
import { maxCharacters } from '../ui/characters.ts'
import { linkRefusal } from '../ui/link-refusal.ts'
import { safeLink } from '../ui/safe-link.ts'
import { cleanText, cleanUrl } from '../ui/typed-text.ts'

export function textField(label: string, max: number, clean = cleanText, missingError = `${label}を入力してください`) {
  return z.string(missingError).overwrite(clean).refine(maxCharacters(max), `${label}は${max}文字までです`)
}

export const checkbox = z.preprocess((value) => value === true || value === 'on', z.boolean())

/** An optional link that `safeLink` accepts. */
export const linkField = z
  .string()
  .overwrite(cleanUrl)
  .max(2000, 'アドレスが長すぎます')
  .refine((url) => url === '' || safeLink(url) !== null, { error: ({ input }) => linkRefusal(String(input)) })
  .default('')
