import { saveNotice } from '../../app/notices/notices.server.ts'
import type { Db } from '../../db/tables.ts'
import { fillSampleShop } from '../../server/sample-shop.ts'
import { asMilliseconds, figure, figureAtMost, type Row } from './bench-figures.ts'
import { measurePage } from './bench-page-in-memory.ts'

const NOTICES = 100
const ROUNDS = 8
const now = Date.parse('2026-11-20T12:00:00+09:00')

/** Measures the time on the processor that a page takes longer when it shows a hundred notices, without the page cache. */
export async function notices(): Promise<Row[]> {
  const rows: Row[] = []
  for (const path of ['/', '/dining']) {
    const [without, withNotices] = [[] as number[], [] as number[]]
    // The rounds alternate, so that the warm-up slows down both.
    for (let round = 0; round < ROUNDS; round += 1) {
      without.push((await measurePage(path, { fill })).cpu)
      withNotices.push((await measurePage(path, { fill: fillWithNotices })).cpu)
    }
    const [none, all] = [Math.min(...without), Math.min(...withNotices)]
    rows.push({
      label: `${path}, ${NOTICES} notices`,
      figures: [
        figure('without', none, asMilliseconds),
        figure('with', all, asMilliseconds),
        figureAtMost('difference', all - none, 2, asMilliseconds),
      ],
    })
  }
  return rows
}

async function fill(db: Db) {
  await fillSampleShop(db, { wanted: true, now })
}

async function fillWithNotices(db: Db) {
  await fill(db)
  const author = { accountId: null, at: new Date(now).toISOString() }
  for (let number = 1; number <= NOTICES; number += 1) {
    const facts = { text: `${number}日は、貸切のためお休みいたします。`, important: number % 10 === 0 }
    await saveNotice(db, crypto.randomUUID(), { version: 0, facts }, author)
  }
}
