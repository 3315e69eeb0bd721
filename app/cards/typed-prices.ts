import { z } from 'zod'
import { normalize } from '../ui/normalize.ts'
import { cleanText, isBlank } from '../ui/typed-text.ts'
import { type Price, priceWords } from './price.ts'

const MAX_PRICES = 6
const MAX_LABEL_CHARACTERS = 20

// A comma before three digits groups the digits. Other commas separate prices.
const SEPARATORS = /[、/;\n]|,(?!\d{3}(?!\d))|(?<=円)[\s・]+/
// A backslash counts as ¥, because the ¥ key of a Japanese keyboard can type a backslash.
const PRICE = /^(.*?)([\s:¥\\]*)(-?(?:\d+|\d{1,3}(?:,\d{3})+))\s*(?:円|-)?$/
// A label like `12,` or `$` is part of a mistyped number.
const LABEL = /^$|[\p{L}\p{M})」]$/u

/** Parses `1,200円`, `小 ¥800、大 ¥1,200` or one of `priceWords`. Returns null if the text is not readable. */
export function readPrices(text: string): Price[] | null {
  const folded = normalize(cleanText(text), 'NFKC').replace(/[\u2010-\u2015\u2212]|(?<=\d)ー/g, '-')
  const word = folded === priceWords[0] ? folded : /^\D*問い?合わ?せ\D*$/.test(folded) && priceWords[1]
  if (word) return [{ label: word, yen: null }]
  const prices: Price[] = []
  for (const part of folded.split(SEPARATORS).filter((each) => !isBlank(each))) {
    const [, label = '', gap, digits] = PRICE.exec(part.trim()) ?? []
    if (digits === undefined || !LABEL.test(label) || (gap === '' && /[a-z]$/i.test(label))) return null
    prices.push({ label, yen: Number(digits.replaceAll(',', '')) })
  }
  return prices.length > 1 && prices.every(({ label }) => label === '') ? null : prices
}

export function storePrices(prices: Price[]) {
  return prices
    .map(({ label, yen }) => [label, yen].filter((part) => part !== '' && part !== null).join(' '))
    .join('、')
}

const yenOf = (prices: Price[]) => prices.map(({ yen }) => yen ?? 0)
const labelsOf = (prices: Price[]) => prices.map(({ label }) => label)

/** Schema of the typed prices of a dish. The output is in the form of `storePrices`. */
export const TypedPrices = z
  .string('価格は円の数字で入力してください')
  .max(300, '価格が長すぎます')
  .transform((text, context) => {
    const prices = readPrices(text)
    if (prices) return prices
    context.addIssue('価格は円の数字で入力してください')
    return z.NEVER
  })
  .refine((prices) => yenOf(prices).every((yen) => yen >= 0), '価格は0円以上で入力してください')
  .refine((prices) => yenOf(prices).every((yen) => yen <= 1_000_000), '価格は100万円までです')
  .refine((prices) => prices.length <= MAX_PRICES, `価格は${MAX_PRICES}つまでです`)
  .refine(
    (prices) => !labelsOf(prices).some((label) => /\d\s/.test(label)),
    '価格と価格のあいだは「、」で区切ってください',
  )
  .refine(
    (prices) => prices.length < 2 || !labelsOf(prices).includes(''),
    '価格がいくつかあるときは、「小 800、大 1200」のように、それぞれに名前を付けてください',
  )
  .refine((prices) => new Set(labelsOf(prices)).size === prices.length, '同じ名前の価格があります')
  .refine(
    (prices) => labelsOf(prices).every((label) => label.length <= MAX_LABEL_CHARACTERS),
    `価格の名前は${MAX_LABEL_CHARACTERS}文字までです`,
  )
  .transform(storePrices)
