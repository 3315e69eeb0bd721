import { hourFields } from './hour-fields.ts'

export function copyFields(form: HTMLFormElement, from: string, to: string, names: readonly string[] = hourFields) {
  for (const name of names) choose(form, to + name, selectOf(form, from + name)?.value ?? '')
}

/** Sets a select's value and dispatches a change event. */
export function choose(form: HTMLFormElement, name: string, value: string) {
  const select = selectOf(form, name)
  if (!select) return
  // The select may lack an option for a minute off the five-minute step.
  if (![...select.options].some((option) => option.value === value)) select.add(new Option(value, value))
  select.value = value
  select.dispatchEvent(new Event('change', { bubbles: true }))
}

function selectOf(form: HTMLFormElement, name: string) {
  const field = form.elements.namedItem(name)
  return field instanceof HTMLSelectElement ? field : null
}
