import { t } from '../languages/language.ts'

/** A price in yen including tax. A single price may have no label. If `yen` is null, the label stands for the price. */
export type Price = { label: string; yen: number | null }

/** The words that stand in place of a price. */
export const priceWords = ['時価', 'お問い合わせください'] as const

/** Parses stored prices like `1200`, `小 800、大 1200` or `時価`. */
export function pricesOf(stored: string): Price[] {
  return stored
    .split('、')
    .filter(Boolean)
    .map((part) => {
      const { label = '', yen } = /^(?:(?<label>.*) )?(?<yen>\d+)$/.exec(part)?.groups ?? { label: part }
      return { label, yen: yen ? Number(yen) : null }
    })
}

/** Returns the lowest price in yen, or null if no price is a number. */
export function lowestPrice(prices: Price[]) {
  const yen = prices.flatMap((price) => price.yen ?? [])
  return yen.length > 0 ? Math.min(...yen) : null
}

/** Formats yen like `1,200円`, in other languages like `¥1,200`. Intl.NumberFormat would be slow to construct on phones. */
export function formatYen(yen: number) {
  return t('{yen}円', { yen: String(yen).replace(/\B(?=(?:\d{3})+$)/g, ',') })
}
