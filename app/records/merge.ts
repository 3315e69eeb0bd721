/**
 * What two people have made of the same, one `mine`, the other `now`, both from `base` (null where that is not known):
 * `mixed` has what either changed, one's own where both did; `clashes` names those fields.
 */
export function merge<Fields extends object>(base: Partial<Fields> | null, now: Fields, mine: Partial<Fields>) {
  const same = (name: keyof Fields, a: Partial<Fields> | null, b: Partial<Fields>) =>
    a !== null && JSON.stringify(a[name]) === JSON.stringify(b[name])
  const names = Object.keys(mine) as (keyof Fields)[]
  const changed = names.filter((name) => !same(name, now, mine) && !same(name, base, mine))
  const changes = Object.fromEntries(changed.map((name) => [name, mine[name]])) as Partial<Fields>
  return { changes, mixed: { ...now, ...changes }, clashes: changed.filter((name) => !same(name, base, now)) }
}
