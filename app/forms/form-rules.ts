import { z } from 'zod'
import { atMost } from '../ui/characters.ts'
import { cleanText } from '../ui/typed-text.ts'

/** Typed text as `clean` stores it; a missing value is an error. */
export function typedText(label: string, most: number, clean = cleanText, missing = `${label}を入力してください`) {
  return z.string(missing).overwrite(clean).refine(atMost(most), `${label}は${most}文字までです`)
}

/** A switch, as a form or JSON says it; not sent, it is off. */
export const ticked = z.preprocess((value) => value === true || value === 'on', z.boolean())
