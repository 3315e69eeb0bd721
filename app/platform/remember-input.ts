/** Remembers input, because React renders the page again if a password manager has inserted an element. */
export function rememberInput() {
  const previousFields = fieldsOf()
  const focused = document.activeElement
  return () => {
    const currentFields = fieldsOf()
    for (const field of previousFields) {
      const hasSameName = ({ name }: HTMLInputElement) => name === field.name
      const replacement = currentFields.filter(hasSameName)[previousFields.filter(hasSameName).indexOf(field)]
      if (!replacement || replacement === field) continue
      copyInput(field, replacement)
      if (field !== focused) continue
      replacement.focus({ preventScroll: true })
      // Null for input types without a caret position, such as `email`.
      if (field.selectionStart != null) replacement.setSelectionRange(field.selectionStart, field.selectionEnd)
    }
  }
}

function copyInput(from: HTMLInputElement, to: HTMLInputElement) {
  if (from.checked !== to.checked) return to.click()
  if (from.files?.length) to.files = from.files
  // React ignores the event if the value was set by the element's own setter, which React overrides.
  else if (from.value !== to.value) Reflect.set(Object.getPrototypeOf(to), 'value', from.value, to)
  else return
  for (const type of ['input', 'change']) to.dispatchEvent(new Event(type, { bubbles: true }))
}

function fieldsOf() {
  return [...document.querySelectorAll<HTMLInputElement>('input:not([type=hidden]), textarea, select')]
}
