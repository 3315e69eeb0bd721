import { data } from 'react-router'
import { boundaryOf, partsOf } from './multipart.server.ts'

type Options = {
  /** Maximum occurrences of repeated fields. */
  several?: Readonly<Record<string, number>>
  file?: string | readonly string[]
  /** Called with the names of unknown fields: at most 20, cut to 40 characters. */
  others?: (names: string[]) => void
}

/** Returns only the given fields of a submitted form. Throws 415 if the body is no form, 400 if it is malformed. */
export async function readForm(
  request: Request,
  fields: readonly string[],
  { several = {}, file, others }: Options = {},
): Promise<FormData> {
  const form = new FormData()
  const files = [file ?? []].flat()
  // Any form may contain the saves of its tab (`seenIn`).
  const left = new Map([...fields, 'own', ...files].map((name) => [name, several[name] ?? 1]))
  const unknown = new Set<string>()
  for (const [name, value] of await entriesOf(request, files.length > 0)) {
    const times = left.get(name)
    if (times === undefined && unknown.size < 20) unknown.add(name.slice(0, 40))
    if (!times || (typeof value !== 'string') !== files.includes(name)) continue
    left.set(name, times - 1)
    // PostgreSQL cannot store NUL; browsers send line breaks as CR LF.
    form.append(name, typeof value === 'string' ? value.replaceAll('\0', '').replace(/\r\n?/g, '\n') : value)
  }
  if (unknown.size > 0) others?.([...unknown])
  return form
}

async function entriesOf(request: Request, mayBringFile: boolean): Promise<Iterable<[string, FormDataEntryValue]>> {
  const contentType = request.headers.get('content-type') ?? ''
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase()
  if (type === 'application/x-www-form-urlencoded') return new URLSearchParams(await request.text())
  if (type !== 'multipart/form-data' || !mayBringFile) throw data('この形式ではお受けできません。', 415)
  const boundary = boundaryOf(contentType)
  const parts = boundary && partsOf(Buffer.from(await request.arrayBuffer()), boundary)
  if (!parts) throw data('送られた内容を読み取れませんでした。', 400)
  return parts.map(({ name, isFile, bytes }) => [name, isFile ? new File([bytes], 'file') : bytes.toString()])
}
