import { z } from 'zod'
import { maxCharacters } from '../ui/characters.ts'
import { cleanText } from '../ui/typed-text.ts'

/** Returns a schema for text input, stored as cleaned by `clean`. A missing value is an error. */
export function textField(label: string, most: number, clean = cleanText, missing = `${label}を入力してください`) {
  return z.string(missing).overwrite(clean).refine(maxCharacters(most), `${label}は${most}文字までです`)
}

/** Schema of a checkbox: `on` in a form, true in JSON. A missing value is false. */
export const checkbox = z.preprocess((value) => value === true || value === 'on', z.boolean())
