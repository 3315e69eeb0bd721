/** A commit whose answer never came, or that was written and not flushed: what was in it may have been kept. */
export class OutcomeUnknown extends Error {
  // What tells it apart: the bundle of the server has a class of its own.
  readonly code = 'OUTCOME_UNKNOWN'
}

/** PostgreSQL's code for a write to a standby, or with default_transaction_read_only. */
export const READ_ONLY = '25006'

/**
 * Why the database did nothing: others held it for too long, it cannot be reached, its disk is full or cannot be written,
 * it is read-only; `unknown` where it may have done it all the same.
 */
export type Failure = 'busy' | 'away' | 'full' | 'unwritable' | 'readOnly' | 'unknown'

// SQLite's result codes, PostgreSQL's classes and conditions (its appendix A), the system's errors.
const codes: [Failure, RegExp][] = [
  ['unknown', /^OUTCOME_UNKNOWN$/],
  ['busy', /^(?:SQLITE_BUSY|SQLITE_LOCKED|55P03$|57014$|40P01$|40001$|25P0[34]$|53300$)/],
  ['away', /^(?:08|57P0|ECONN|EPIPE$|ETIMEDOUT$|EHOSTUNREACH$|ENETUNREACH$|ENOTFOUND$|EAI_AGAIN$)/],
  ['full', /^(?:SQLITE_FULL$|53100$|ENOSPC$|EDQUOT$)/],
  ['unwritable', /^(?:SQLITE_IOERR|SQLITE_READONLY|SQLITE_CANTOPEN|SQLITE_PERM|58030$|EIO$|EROFS$)/],
  ['readOnly', new RegExp(`^${READ_ONLY}$`)],
]

// What the driver for PostgreSQL says without a code.
const words: [Failure, RegExp][] = [
  ['busy', /^timeout exceeded when trying to connect/],
  [
    'away',
    /^Connection terminated|^Client (?:has encountered a connection error|was closed)|^Query read timeout|^timeout expired$/,
  ],
]

/** Why the database failed in what it was asked; null where the error is of another kind. */
export function failureOf(error: unknown): Failure | null {
  if (!(error instanceof Error)) return null
  const { code } = error as NodeJS.ErrnoException
  const [list, said] = typeof code === 'string' ? [codes, code] : [words, error.message]
  return list.find(([, pattern]) => pattern.test(said))?.[0] ?? null
}
