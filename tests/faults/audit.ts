import { type Goal, noneGoal, someGoal } from './goals.ts'
import { checkIntegrity } from './integrity-check.ts'
import { countOperations, eachDoneGoal, refusedGoal } from './operation-counts.ts'
import type { LoggedOperation, OperationLog } from './operation-log.ts'
import { send } from './requests.ts'
import type { SiteCopy } from './site-copy.ts'

export type Audit = ReturnType<typeof openAudit>

type CheckOptions = { run: string; address?: string; onlyReads?: boolean }

/**
 * Opens an audit. Each `check` compares the operation log with the stored data and reports differences that are new.
 */
export function openAudit() {
  const differences = {
    lost: new Set<string>(),
    half: new Set<string>(),
    twice: new Set<string>(),
    denied: new Set<string>(),
  }
  const finishedOperations: LoggedOperation[] = []
  return {
    /**
     * Checks the stored data and, if `address` is given, the public page. `run` labels the differences. `onlyReads`
     * omits the reset of the rate-limit counters.
     */
    async check(
      copy: Pick<SiteCopy, 'withDatabase'>,
      log: OperationLog,
      { run, address, onlyReads = false }: CheckOptions,
    ) {
      const report = await copy.withDatabase(async (db) => {
        // Without this reset, the limit of sixty messages an hour would stop a trial of many runs.
        if (!onlyReads) await db.deleteFrom('attempts').execute()
        return checkIntegrity(db)
      })
      const { lost, twice, denied } = log.compare(report)
      for (const difference of lost) differences.lost.add(`${run}: ${difference}`)
      for (const difference of twice) differences.twice.add(`${run}: ${difference}`)
      for (const difference of denied) differences.denied.add(`${run}: ${difference}`)
      for (const difference of report.inconsistencies) differences.half.add(`${run}: ${difference}`)
      if (address)
        for (const difference of await findMissingOnPage(copy, address)) differences.half.add(`${run}: ${difference}`)
    },
    /** Adds the operations of a finished log to the counts. */
    close(log: OperationLog) {
      finishedOperations.push(...log.operations)
    },
    operations: () => countOperations(finishedOperations),
    /**
     * Returns the goals with their differences. `denied: false` omits the goal that no rejected operation was stored.
     */
    goals({ denied = true } = {}): Goal[] {
      const operations = countOperations(finishedOperations)
      return [
        someGoal('confirmed operations', finishedOperations.filter(({ state }) => state === 'confirmed').length),
        ...(operations.some(({ by }) => by === 'administrator') ? [eachDoneGoal(operations)] : []),
        refusedGoal(finishedOperations),
        noneGoal('confirmed operations lost', [...differences.lost]),
        noneGoal('inconsistent records', [...differences.half]),
        noneGoal('duplicated operations', [...differences.twice]),
        ...(denied ? [noneGoal('rejected operations stored', [...differences.denied])] : []),
      ]
    },
  }
}

// Returns the cards that are stored but missing on the public page.
async function findMissingOnPage({ withDatabase }: Pick<SiteCopy, 'withDatabase'>, address: string) {
  const cards = await withDatabase((db) =>
    db
      .selectFrom('cards')
      .select('title')
      .where('collection', '=', 'dining')
      .where('deletedAt', 'is', null)
      .where('draft', '=', false)
      .execute(),
  )
  const page = await send(address, '/dining')
  return cards.filter(({ title }) => !page?.body.includes(title)).map(({ title }) => `/dining lacks ${title}`)
}
