export function fieldErrors(issues: { path: PropertyKey[]; message: string }[]) {
  const errors: Record<string, string[]> = {}
  for (const { path, message } of issues) {
    const name = path.join('.')
    errors[name] = [...(errors[name] ?? []), message]
  }
  return errors
}
