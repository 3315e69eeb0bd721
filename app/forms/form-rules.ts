import { z } from 'zod'
import { maxCharacters } from '../ui/characters.ts'
import { cleanText } from '../ui/typed-text.ts'

export function textField(label: string, max: number, clean = cleanText, missingError = `${label}を入力してください`) {
  return z.string(missingError).overwrite(clean).refine(maxCharacters(max), `${label}は${max}文字までです`)
}

export const checkbox = z.preprocess((value) => value === true || value === 'on', z.boolean())
