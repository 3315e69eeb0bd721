import { z } from 'zod'
import { maxCharacters } from '../ui/characters.ts'
import { cleanText } from '../ui/typed-text.ts'

/** Returns a schema for text input, stored as cleaned by `clean`. A missing value is an error. */
export function textField(label: string, max: number, clean = cleanText, missingError = `${label}を入力してください`) {
  return z.string(missingError).overwrite(clean).refine(maxCharacters(max), `${label}は${max}文字までです`)
}

/** Schema of a checkbox: `on` in a form, true in JSON. A missing value is false. */
export const checkbox = z.preprocess((value) => value === true || value === 'on', z.boolean())
