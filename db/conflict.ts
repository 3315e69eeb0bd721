/** Whether a write failed because such a row is there already (a unique index said no), on either engine. */
export function isConflict(error: unknown) {
  const { code } = error as { code?: unknown }
  return code === '23505' || code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY'
}
