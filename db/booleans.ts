import type { KyselyPlugin } from 'kysely'

const columns = new Set([
  'administrator',
  'admin',
  'allergensConfirmed',
  'attendance',
  'byStaff',
  'changedAlone',
  'came',
  'draft',
  'emailVerified',
  'important',
  'membersOnly',
  'resting',
  'spam',
])

/** Converts the stored 0 and 1 of these columns to booleans in results. Parameters and JSON need `toStored`. */
export const booleanColumns: KyselyPlugin = {
  transformQuery: ({ node }) => node,
  async transformResult({ result }) {
    const names = Object.keys(result.rows[0] ?? {}).filter((name) => columns.has(name))
    for (const row of result.rows) for (const name of names) row[name] = fromStored(name, row[name])
    return result
  },
}

export function fromStored(name: string, value: unknown) {
  return columns.has(name) && typeof value === 'number' ? value === 1 : value
}

export function toStored(value: unknown) {
  return typeof value === 'boolean' ? Number(value) : value
}
