import { hourFields } from './hour-fields.ts'

export function copyFields(
  form: HTMLFormElement,
  fromPrefix: string,
  toPrefix: string,
  names: readonly string[] = hourFields,
) {
  for (const name of names) setSelectValue(form, toPrefix + name, findSelect(form, fromPrefix + name)?.value ?? '')
}

export function setSelectValue(form: HTMLFormElement, name: string, value: string) {
  const select = findSelect(form, name)
  if (!select) return
  // The select may lack an option for a minute between the five-minute steps.
  if (![...select.options].some((option) => option.value === value)) select.add(new Option(value, value))
  select.value = value
  for (const type of ['input', 'change']) select.dispatchEvent(new Event(type, { bubbles: true }))
}

function findSelect(form: HTMLFormElement, name: string) {
  const field = form.elements.namedItem(name)
  return field instanceof HTMLSelectElement ? field : null
}
