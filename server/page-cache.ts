import type { Kysely } from 'kysely'
import type { Live } from '../app/live/announce.server.ts'
import type { Tables } from '../db/tables.ts'
import { onCommit } from '../db/transaction.ts'
import type { TextPage } from './compress.ts'
import { publicPages } from './for-machines.ts'

const LIMIT_BYTES = 32 * 1024 * 1024
const MINUTE = 60_000

type Made = Promise<{ page: TextPage; keep: boolean } | null>

/**
 * The public pages as they leave, kept until anything changes and at most to the end of the minute, since some of them
 * say whether the shop is open now.
 */
export function createPageCache({ db, live, clock }: { db: Kysely<Tables>; live: Live; clock: () => number }) {
  // In the order of their last use; those still being made are here too, so that each is made once.
  const pages = new Map<string, { made: Made; bytes: number }>()
  let minute = 0
  let bytes = 0

  // A page whose making began before a change is no longer here when it is done, and is not kept.
  function forgetAll() {
    pages.clear()
    bytes = 0
  }
  onCommit(db, forgetAll)
  live.listen((news) => {
    if ('changed' in news) forgetAll()
  })

  async function makeAndKeep(address: string, make: () => Made) {
    const entry = { made: make(), bytes: 0 }
    pages.set(address, entry)
    const result = await entry.made.catch((error) => {
      forget(address, entry)
      throw error
    })
    if (!result?.keep) forget(address, entry)
    else if (pages.get(address) === entry) {
      entry.bytes = result.page.bytes
      bytes += entry.bytes
      for (const [oldest, other] of pages) if (bytes > LIMIT_BYTES) forget(oldest, other)
    }
    return result
  }

  function forget(address: string, entry: { bytes: number }) {
    if (pages.get(address) !== entry) return
    pages.delete(address)
    bytes -= entry.bytes
  }

  return {
    /** The page at this address, made where it is not at hand; null where it cannot be shared. */
    async get(address: string, make: () => Made) {
      const now = Math.floor(clock() / MINUTE)
      if (now !== minute) forgetAll()
      minute = now
      const known = pages.get(address)
      if (!known) return makeAndKeep(address, make)
      pages.delete(address)
      pages.set(address, known)
      return known.made
    },
  }
}

const shown = new Set<string>(['/home', ...publicPages])
const meaningful = new Set(['month', 'day', 'year', 'in'])
// Written by others into links to us; our pages say the same with and without them.
const tracking = /^(?:utm_\w+|gclid|fbclid|yclid|msclkid)$/

/** The address under which everyone without a cookie gets the same answer to this request; null where that is not so. */
export function sharedAddress(request: Request, origin: string) {
  if (request.method !== 'GET' && request.method !== 'HEAD') return null
  if (request.headers.has('cookie') || request.headers.has('authorization')) return null
  const { pathname, searchParams } = new URL(request.url)
  if (!shown.has(pageOf(pathname))) return null
  const query = new URLSearchParams()
  for (const [name, value] of searchParams) {
    if (meaningful.has(name)) query.append(name, value)
    else if (!tracking.test(name)) return null
  }
  return `${origin}${pathname}${query.size > 0 ? `?${query}` : ''}`
}

function pageOf(pathname: string) {
  return pathname === '/_.data' ? '/' : pathname.replace(/\.data$/, '')
}
