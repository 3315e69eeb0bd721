import { z } from 'zod'
import { trimmed } from '../ui/blank.ts'
import { atMost } from '../ui/characters.ts'

const CONTROL = /\p{Cc}/u
const CONTROL_BUT_BREAKS = /(?!\n)\p{Cc}/u

/** A text of a form of facts, trimmed, its breaks as `\n`; one of a single line has none. What is not sent is asked for. */
export function factText(label: string, most: number, { isLine = false } = {}) {
  return z
    .string(`${label}を入力してください`)
    .transform((value) => trimmed(value.toWellFormed().replace(/\r\n?/g, '\n')))
    .refine((value) => !(isLine ? CONTROL : CONTROL_BUT_BREAKS).test(value), '使えない文字が含まれています')
    .refine(atMost(most), `${label}は${most}文字までです`)
}

/** A switch, as a form or JSON says it; not sent, it is off. */
export const ticked = z.preprocess((value) => value === true || value === 'on', z.boolean())
