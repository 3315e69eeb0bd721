import { data } from 'react-router'

export type FormOptions = {
  several?: Readonly<Record<string, number>> | undefined
  /** Pattern of further fields, whose names are known only after a read of the database. */
  pattern?: RegExp | undefined
  /** Called with the names of unknown fields: at most 20 names, each cut to 40 characters. */
  others?: (names: string[]) => void
}

/** Returns only the given fields of a submitted form. Throws 415 if a body is not URL-encoded. */
export async function readForm(
  request: Request,
  fields: readonly string[],
  { several = {}, pattern, others }: FormOptions = {},
): Promise<FormData> {
  const form = new FormData()
  // Every form may contain the field `own`, which lists the previous saves of its browser tab.
  const remaining = new Map([...fields, 'own'].map((name) => [name, several[name] ?? 1]))
  const unknown = new Set<string>()
  const body = await request.text()
  const type = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase()
  if (body && type !== 'application/x-www-form-urlencoded')
    throw data('この形式ではお受けできません。ページを再読み込みしてから、もう一度お試しください。', 415)
  for (const [name, value] of new URLSearchParams(body)) {
    const count = remaining.get(name) ?? (pattern?.test(name) ? 1 : undefined)
    if (count === undefined && unknown.size < 20) unknown.add(name.slice(0, 40))
    if (!count) continue
    remaining.set(name, count - 1)
    // PostgreSQL cannot store NUL. Browsers send line breaks as CR LF.
    form.append(name, value.replaceAll('\0', '').replace(/\r\n?/g, '\n'))
  }
  if (unknown.size > 0) others?.([...unknown])
  return form
}
