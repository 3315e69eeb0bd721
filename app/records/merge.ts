/**
 * Merges `mine` into `now`, given their common `base` (null if unknown). `mixed` has the changes of both and prefers
 * `mine`; `clashes` names the fields that both changed.
 */
export function merge<Fields extends object>(base: Partial<Fields> | null, now: Fields, mine: Partial<Fields>) {
  const same = (name: keyof Fields, a: Partial<Fields> | null, b: Partial<Fields>) =>
    a !== null && JSON.stringify(a[name]) === JSON.stringify(b[name])
  const names = Object.keys(mine) as (keyof Fields)[]
  const changed = names.filter((name) => !same(name, now, mine) && !same(name, base, mine))
  const changes = Object.fromEntries(changed.map((name) => [name, mine[name]])) as Partial<Fields>
  return { changes, mixed: { ...now, ...changes }, clashes: changed.filter((name) => !same(name, base, now)) }
}
