/** The commit's response was lost, or its flush failed. The change may have been stored. */
export class OutcomeUnknown extends Error {}

/** PostgreSQL's code for a write to a standby, or with default_transaction_read_only. */
export const READ_ONLY = '25006'

export type Failure = 'busy' | 'away' | 'full' | 'unwritable' | 'readOnly' | 'unknown'

// SQLite result codes, PostgreSQL classes and conditions (its appendix A), system errors.
const codePatterns: [Failure, RegExp][] = [
  ['busy', /^(?:SQLITE_BUSY|SQLITE_LOCKED|55P03$|57014$|40P01$|40001$|25P0[34]$|53300$)/],
  ['away', /^(?:08|57P0|ECONN|EPIPE$|ETIMEDOUT$|EHOSTUNREACH$|ENETUNREACH$|ENOTFOUND$|EAI_AGAIN$)/],
  ['full', /^(?:SQLITE_FULL$|53100$|ENOSPC$|EDQUOT$)/],
  ['unwritable', /^(?:SQLITE_IOERR|SQLITE_READONLY|SQLITE_CANTOPEN|SQLITE_PERM|58030$|EIO$|EROFS$)/],
  ['readOnly', new RegExp(`^${READ_ONLY}$`)],
]

const messagePatterns: [Failure, RegExp][] = [
  ['busy', /^timeout exceeded when trying to connect/],
  [
    'away',
    /^Connection terminated|^Client (?:has encountered a connection error|was closed)|^Query read timeout|^timeout expired$/,
  ],
]

export function failureOf(error: unknown): Failure | null {
  if (error instanceof OutcomeUnknown) return 'unknown'
  if (!(error instanceof Error)) return null
  const { code } = error as NodeJS.ErrnoException
  const [patterns, text] = typeof code === 'string' ? [codePatterns, code] : [messagePatterns, error.message]
  return patterns.find(([, pattern]) => pattern.test(text))?.[0] ?? null
}
