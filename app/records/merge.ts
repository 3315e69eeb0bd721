/**
 * Merges the changes of `current` and `submitted` since `base`, which is null if unknown. `clashes` lists the
 * conflicting fields. In `mixed`, a conflicting field has the submitted value. Changed fields that contradict other fields
 * in `mixed`, as found by `contradictionsIn`, also conflict.
 */
export function merge<Fields extends object>(
  base: Partial<Fields> | null,
  current: Fields,
  submitted: Partial<Fields>,
  contradictionsIn: (mixed: Fields) => readonly (keyof Fields)[] = () => [],
) {
  const isSame = (name: keyof Fields, a: Partial<Fields> | null, b: Partial<Fields>) =>
    a !== null && JSON.stringify(a[name]) === JSON.stringify(b[name])
  const names = Object.keys(submitted) as (keyof Fields)[]
  const changed = names.filter((name) => !isSame(name, current, submitted) && !isSame(name, base, submitted))
  const changes = Object.fromEntries(changed.map((name) => [name, submitted[name]])) as Partial<Fields>
  const mixed = { ...current, ...changes }
  const contradictions = contradictionsIn(mixed)
  const clashes = changed.filter((name) => !isSame(name, base, current) || contradictions.includes(name))
  return { changes, mixed, clashes }
}
