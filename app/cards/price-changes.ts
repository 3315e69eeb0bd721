import { z } from 'zod'
import { TypedPrices } from './typed-prices.ts'

const UNREADABLE = 'お送りいただいた内容を読み取れませんでした。ページを再読み込みしてください。'

const fromJson = z.string(UNREADABLE).transform((text, context): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    context.addIssue(UNREADABLE)
    return z.NEVER
  }
})

/** Schema of the form that changes prices. `changes` is JSON of `PriceChanges`. */
export const PricesForm = z.object({
  changes: fromJson.pipe(z.record(z.string(), z.object({ seen: z.string(), price: TypedPrices }), UNREADABLE)),
})

/** Changed prices by the ID of the dish. `seen` is the stored price that the editor saw. */
export type PriceChanges = Record<string, { seen: string; price: string }>

export function priceErrorName(id: string) {
  return `changes.${id}.price`
}
