import { untypedTables } from './engine.ts'
import { openDatabase } from './open.ts'
import { inTransaction } from './transaction.ts'

type Row = Record<string, string | number | null>
type Step = { table: string; row: Row; isDeleted?: boolean }

/** Returns the deterministic writes of the n-th transaction, so that the expected content can be computed. */
export function stepsOf(n: number): Step[] {
  const noteRow = (index: number) => ({
    owner: `visitor-${index}`,
    key: 'sent',
    result: `${n}番目の「お料理」\n\u2028\u{20BB7}${'だし'.repeat(n % 300)}`,
    at: new Date(n * 1000).toISOString(),
  })
  const account = (n: number) => ({
    id: `account-${n}`,
    name: `${n}番目の方`,
    email: `${n}@example.jp`,
    emailVerified: n % 2,
    image: null,
    createdAt: String(n),
    updatedAt: JSON.stringify({ n }),
  })
  return [
    { table: 'onceKeys', row: noteRow(n % 400) },
    ...(n % 3 === 0 ? [{ table: 'onceKeys', row: noteRow((n * 7) % 400), isDeleted: true }] : []),
    { table: 'attempts', row: { key: 'written', count: n, until: '' } },
    { table: 'accounts', row: account(n) },
    { table: 'accounts', row: account(n - 500), isDeleted: true },
    { table: 'marks', row: { name: 'written', at: String(n) } },
  ]
}

// If this file runs as a process, it writes without pauses. It prints a line after the first 60 transactions.
if (import.meta.main) {
  const [url = '', file = ''] = process.argv.slice(2)
  const db = await openDatabase({ url: url || undefined, file })
  for (let n = 1; ; n += 1) {
    await inTransaction(db, async (trx) => {
      for (const { table, row, isDeleted } of stepsOf(n)) {
        const [key = '', value] = Object.entries(row)[0] ?? []
        await untypedTables(trx).deleteFrom(table).where(key, '=', value).execute()
        if (!isDeleted) await untypedTables(trx).insertInto(table).values(row).execute()
      }
    })
    if (n === 60) console.log('writing')
  }
}
