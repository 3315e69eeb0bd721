import { cardSchema } from '../app/cards/card.ts'
import { addCard, listCards, saveCard } from '../app/cards/cards.server.ts'
import { SectionForm } from '../app/sections/section.ts'
import { saveSection } from '../app/sections/sections.server.ts'
import type { Db } from '../db/tables.ts'
import { inTransaction } from '../db/transaction.ts'
import sample from './sample-menu.json' with { type: 'json' }
import { fillSampleShop, markAsSample } from './sample-shop.ts'

const dishes: Record<string, object[]> = sample.dishes

/**
 * Adds the sample shop like `fillSampleShop`, and arranges its menu in sections. The first section contains the dishes
 * of the specification, whose page has no sections.
 */
export function fillSampleShopWithMenu(db: Db, options: { wanted: boolean; now: number }) {
  return inTransaction(db, async (trx) => {
    if (!(await fillSampleShop(trx, options))) return
    const author = { accountId: null, at: new Date(options.now).toISOString() }
    const specified = await listCards(trx, 'dining')
    let order = specified.length
    for (const [index, facts] of sample.sections.entries()) {
      const section = crypto.randomUUID()
      await saveSection(trx, section, { version: 0, facts: SectionForm.parse(facts) }, author)
      if (index === 0) for (const dish of specified) await saveCard(trx, dish, { section }, author)
      for (const dish of dishes[facts.name] ?? []) {
        order += 1
        const card = cardSchema('dining').parse({ ...dish, order, section, allergensConfirmed: true })
        await addCard(trx, 'dining', card, author)
      }
    }
    await markAsSample(trx)
  })
}
