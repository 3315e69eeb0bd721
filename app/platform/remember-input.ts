type Field = HTMLInputElement & {
  /** The last value that React knows. React ignores the events of a field with this value. */
  _valueTracker?: { setValue(value: string): void }
}

/**
 * Remembers the fields before hydration. Returns a function that fires the events of the earlier input again after
 * hydration: React calls no handlers for this input, and the next render of a controlled field would replace it. If
 * React has rendered the page again because a password manager has inserted an element, the new elements receive it.
 */
export function rememberInput() {
  const fields = fieldsOf()
  const focused = document.activeElement as Field
  const values = fields.filter(isChanged).map((field) => [field, field.value] as const)
  return () => {
    const findTarget = (field: Field) => {
      const listSameName = (list: Field[]) => list.filter(({ name }) => name === field.name)
      return listSameName(fieldsOf())[listSameName(fields).indexOf(field)] ?? field
    }
    // Hydration resets a text area that has a default value.
    for (const [field, value] of values) if (!isChanged(field)) field.value = value
    const inputs = fields
      .filter(isChanged)
      .map((field) => ({ field, target: findTarget(field), value: field.value, checked: field.checked }))
    const newFocus = findTarget(focused)
    queueMicrotask(() => {
      // Starts with the last field, because a field may limit the next ones, as a month limits the options of the day.
      for (const { field, target } of inputs.reverse()) {
        // Handlers of another field may have reset this one, and handlers of a form read all its fields.
        for (const { target, value, checked } of inputs) {
          target.checked = checked
          if (target.value !== value && !target.files) target.value = value
        }
        if (field.files) target.files = field.files
        target._valueTracker?.setValue('\0')
        // React reads the state of a checkbox at its click event. This event does not toggle the checkbox.
        for (const type of ['click', 'input', 'change']) target.dispatchEvent(new Event(type, { bubbles: true }))
      }
      if (newFocus === focused) return
      newFocus.focus({ preventScroll: true })
      // The caret position is null for some input types, such as `email`.
      if (focused.selectionStart) newFocus.setSelectionRange(focused.selectionStart, focused.selectionEnd)
    })
  }
}

/** Whether the input of a field differs from its default, except for a radio button that another one has cleared. */
function isChanged(field: Field) {
  if (field.type === 'checkbox') return field.checked !== field.defaultChecked
  if (field.type === 'radio') return field.checked && !field.defaultChecked
  const option = field.querySelector<HTMLOptionElement>('[selected]') ?? field.querySelector('option')
  return field.value !== (option?.value ?? field.defaultValue)
}

function fieldsOf() {
  return [...document.querySelectorAll<Field>('input:not([type=hidden]), textarea, select')]
}
