import { normalize } from '../ui/normalize.ts'
import { cleanText, isBlank } from '../ui/typed-text.ts'
import { type Price, priceWords } from './price.ts'

const MAX_PRICES = 6
const MAX_CHARACTERS = 300
const MAX_YEN = 1_000_000
const MAX_LABEL_CHARACTERS = 20

const NO_NUMBER = '価格は円の数字で入力してください'
const NO_SEPARATOR = '価格と価格のあいだは「、」で区切ってください'
const NO_LABEL = '価格がいくつかあるときは、「小 800、大 1200」のように、それぞれに名前を付けてください'

// A comma before three digits groups the digits. Other commas separate prices.
const SEPARATORS = /[、/;\n]|,(?!\d{3}(?!\d))|(?<=円)[\s・]+/
// A backslash counts as ¥, because the ¥ key of a Japanese keyboard can type a backslash.
const PRICE = /^(.*?)([\s:¥\\]*)(-?(?:\d+|\d{1,3}(?:,\d{3})+))\s*(?:円|-)?$/
// A label like `1e` or `12,` is part of a mistyped number.
const LABEL = /^$|[^\d,.+¥\\-]$/

/**
 * Parses up to six prices like `1,200円` or `小 ¥800、大 ¥1,200`, or one of `priceWords`. `prices` is null if the text is
 * not readable. `error` is a sentence in Japanese, also for readable prices that are not permitted.
 */
export function parsePrices(text: string): { prices: Price[] | null; error: string | null } {
  if (text.length > MAX_CHARACTERS) return { prices: null, error: '価格が長すぎます' }
  if (isBlank(text)) return { prices: [], error: null }
  const folded = normalize(cleanText(text), 'NFKC').replace(/[\u2010-\u2015\u2212]/g, '-')
  const word = findWord(folded)
  if (word) return { prices: [{ label: word, yen: null }], error: null }
  const prices: Price[] = []
  for (const part of folded.split(SEPARATORS).filter((each) => !isBlank(each))) {
    const [, label = '', gap, digits] = PRICE.exec(part.trim()) ?? []
    const isNumber = digits !== undefined && LABEL.test(label) && (gap !== '' || !/[a-z]$/i.test(label))
    if (!isNumber) return { prices: null, error: NO_NUMBER }
    if (/\d\s/.test(label)) return { prices: null, error: NO_SEPARATOR }
    prices.push({ label, yen: Number(digits.replaceAll(',', '')) })
  }
  const hasLabels = prices.some(({ label }) => label !== '')
  return prices.length > 1 && !hasLabels ? { prices: null, error: NO_NUMBER } : { prices, error: findError(prices) }
}

function findWord(text: string) {
  if (text === priceWords[0]) return text
  return /^\D*問い?合わ?せ\D*$/.test(text) ? priceWords[1] : null
}

function findError(prices: Price[]) {
  const labels = prices.map(({ label }) => label)
  if (prices.some(({ yen }) => (yen ?? 0) < 0)) return '価格は0円以上で入力してください'
  if (prices.some(({ yen }) => (yen ?? 0) > MAX_YEN)) return '価格は100万円までです'
  if (prices.length > MAX_PRICES) return `価格は${MAX_PRICES}つまでです`
  if (prices.length > 1 && labels.includes('')) return NO_LABEL
  if (new Set(labels).size < labels.length) return '同じ名前の価格があります'
  if (labels.some((label) => label.length > MAX_LABEL_CHARACTERS))
    return `価格の名前は${MAX_LABEL_CHARACTERS}文字までです`
  return null
}
