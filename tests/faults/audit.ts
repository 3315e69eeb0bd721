import { readBooks } from './integrity-check.ts'
import { countDeeds, eachDoneGoal, refusedGoal } from './operation-counts.ts'
import { type Goal, none, some } from './goals.ts'
import type { Deed, Ledger } from './operation-log.ts'
import type { Place } from './site-copy.ts'
import { send } from './requests.ts'

export type Audit = ReturnType<typeof openAudit>

type Look = { run: string; address?: string; onlyReads?: boolean }

/**
 * Opens an audit that compares the operation log with the stored data on each `look`, and reports each difference once.
 */
export function openAudit() {
  const found = {
    lost: new Set<string>(),
    half: new Set<string>(),
    twice: new Set<string>(),
    denied: new Set<string>(),
  }
  const closed: Deed[] = []
  return {
    /**
     * Checks the stored data and, if `address` is given, the public page. `run` labels the differences. With
     * `onlyReads`, the rate-limit counters are not reset.
     */
    async look(place: Pick<Place, 'reading'>, ledger: Ledger, { run, address, onlyReads = false }: Look) {
      const books = await place.reading(async (db) => {
        // The limit of sixty messages an hour would stop a trial of many runs.
        if (!onlyReads) await db.deleteFrom('attempts').execute()
        return readBooks(db)
      })
      const { lost, twice, denied } = ledger.compare(books)
      for (const each of lost) found.lost.add(`${run}: ${each}`)
      for (const each of twice) found.twice.add(`${run}: ${each}`)
      for (const each of denied) found.denied.add(`${run}: ${each}`)
      for (const each of books.halves) found.half.add(`${run}: ${each}`)
      if (address) for (const each of await unshown(place, address)) found.half.add(`${run}: ${each}`)
    },
    /** Adds the operations of a finished log to the counts. */
    close(ledger: Ledger) {
      closed.push(...ledger.deeds)
    },
    deeds: () => countDeeds(closed),
    /**
     * Returns the goals with their differences. `denied: false` omits the goal that rejected operations left no data.
     */
    goals({ denied = true } = {}): Goal[] {
      const deeds = countDeeds(closed)
      return [
        some('acknowledged', closed.filter(({ state }) => state === 'kept').length),
        ...(deeds.some(({ by }) => by === 'administrator') ? [eachDoneGoal(deeds)] : []),
        refusedGoal(closed),
        none('acknowledged and lost', [...found.lost]),
        none('half', [...found.half]),
        none('twice', [...found.twice]),
        ...(denied ? [none('refused, and there', [...found.denied])] : []),
      ]
    },
  }
}

// Returns the cards that are stored but missing on the public page.
async function unshown({ reading }: Pick<Place, 'reading'>, address: string) {
  const cards = await reading((db) =>
    db
      .selectFrom('cards')
      .select('title')
      .where('collection', '=', 'dining')
      .where('deletedAt', 'is', null)
      .where('draft', '=', false)
      .execute(),
  )
  const page = await send(address, '/dining')
  return cards.filter(({ title }) => !page?.body.includes(title)).map(({ title }) => `/dining does not show ${title}`)
}
