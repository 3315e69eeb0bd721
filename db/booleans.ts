import type { KyselyPlugin } from 'kysely'

/** Columns that store a boolean as 0 or 1. */
const columns = new Set([
  'administrator',
  'admin',
  'allergensConfirmed',
  'attendance',
  'draft',
  'emailVerified',
  'spam',
])

/**
 * Converts these columns to booleans in results. `toStored` converts query parameters and JSON in the other direction.
 */
export const booleanColumns: KyselyPlugin = {
  transformQuery: ({ node }) => node,
  async transformResult({ result }) {
    const names = Object.keys(result.rows[0] ?? {}).filter((name) => columns.has(name))
    for (const row of result.rows) for (const name of names) row[name] = fromStored(name, row[name])
    return result
  },
}

/** Returns a boolean for the 0 or 1 of a boolean column, and any other value unchanged. A reviver for JSON.parse. */
export function fromStored(name: string, value: unknown) {
  return columns.has(name) && typeof value === 'number' ? value === 1 : value
}

/** Returns 1 for true and 0 for false, and any other value unchanged. */
export function toStored(value: unknown) {
  return typeof value === 'boolean' ? Number(value) : value
}
