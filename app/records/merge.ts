/**
 * Merges the changes of `current` and `submitted` since `base`, which is null if unknown. Fields that only make sense
 * together form one of the `groups`, which conflicts like one field. `clashes` lists the conflicting fields. In `mixed`, a
 * conflicting field has the submitted value.
 */
export function merge<Fields extends object>(
  base: Partial<Fields> | null,
  current: Fields,
  submitted: Partial<Fields>,
  groups: FieldGroups<Fields> = [],
) {
  const isSame = (name: keyof Fields, a: Partial<Fields> | null, b: Partial<Fields>) =>
    a !== null && JSON.stringify(a[name]) === JSON.stringify(b[name])
  const names = Object.keys(submitted) as (keyof Fields)[]
  const differing = names.filter((name) => !isSame(name, current, submitted))
  const isChanged = (name: keyof Fields) => differing.includes(name) && !isSame(name, base, submitted)
  const isChangedByOthers = (name: keyof Fields) => !isSame(name, base, current) && !isSame(name, current, submitted)
  const conflicting = [...groups, ...names.map((name) => [name])]
    .filter((group) => group.some(isChanged) && group.some(isChangedByOthers))
    .flat()
  const clashes = differing.filter((name) => conflicting.includes(name))
  const changed = differing.filter((name) => isChanged(name) || clashes.includes(name))
  const changes = Object.fromEntries(changed.map((name) => [name, submitted[name]])) as Partial<Fields>
  return { changes, mixed: { ...current, ...changes }, clashes }
}

export type FieldGroups<Fields> = readonly (readonly (keyof Fields)[])[]
