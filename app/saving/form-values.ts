/** The fields of a form by their names, as text; one that was left empty is not there. */
export function formValues(form: FormData): Record<string, string> {
  const given = [...form].filter((field): field is [string, string] => typeof field[1] === 'string' && field[1] !== '')
  return Object.fromEntries(given)
}
