/** Whether the error is a violated unique index or primary key, on either engine. */
export function isConflict(error: unknown) {
  const { code } = error as { code?: unknown }
  return code === '23505' || code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY'
}
