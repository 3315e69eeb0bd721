/** Merges, preferring `submitted`, into `mixed`; `base` is null if unknown. `clashes`: the fields that both changed. */
export function merge<Fields extends object>(
  base: Partial<Fields> | null,
  current: Fields,
  submitted: Partial<Fields>,
) {
  const isSame = (name: keyof Fields, a: Partial<Fields> | null, b: Partial<Fields>) =>
    a !== null && JSON.stringify(a[name]) === JSON.stringify(b[name])
  const names = Object.keys(submitted) as (keyof Fields)[]
  const changed = names.filter((name) => !isSame(name, current, submitted) && !isSame(name, base, submitted))
  const changes = Object.fromEntries(changed.map((name) => [name, submitted[name]])) as Partial<Fields>
  return { changes, mixed: { ...current, ...changes }, clashes: changed.filter((name) => !isSame(name, base, current)) }
}
