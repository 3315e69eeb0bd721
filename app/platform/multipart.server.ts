const MAX_HEADERS = 4096
// The largest form with an image has about 50 fields.
const MAX_PARTS = 100
// Some clients omit the quotation marks of a name.
const PARAMETER = /;\s*([\w*]+)=(?:"((?:\\.|[^"\r\n\\])*)"|([^\s;"]*))/g

/**
 * Returns the boundary, or null if the boundary is missing or invalid. A search of 25 MB for a boundary of fewer than
 * four characters would block the thread for 140 ms.
 */
export function boundaryOf(contentType: string) {
  const [, quoted, bare] =
    /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"]{4,70})"|([^\s;"]{4,70}))/i.exec(contentType) ?? []
  return quoted ?? bare ?? null
}

type Part = { name: string; bytes: Buffer<ArrayBuffer> }

/**
 * Returns the parts of the body as views (RFC 7578), or null if the body is invalid. `Request.formData` would block the
 * thread for seconds if the body contained an image of 25 MB.
 */
export function partsOf(body: Buffer<ArrayBuffer>, boundary: string): Part[] | null {
  const parts: Part[] = []
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  const isFirst = body.subarray(0, delimiter.length - 2).equals(delimiter.subarray(2))
  const start = isFirst ? -2 : body.indexOf(delimiter)
  if (start === -1) return null
  let offset = start + delimiter.length
  while (body.toString('latin1', offset, offset + 2) !== '--') {
    if (parts.length === MAX_PARTS) return null
    const headersLength = body.subarray(offset, offset + MAX_HEADERS + 4).indexOf('\r\n\r\n')
    const headersEnd = offset + headersLength
    const end = body.indexOf(delimiter, headersEnd + 4)
    if (headersLength === -1 || end === -1) return null
    const headers = body.toString('utf8', offset, headersEnd)
    const [disposition = ''] = /^content-disposition:[^\r\n]*/im.exec(headers) ?? []
    const parameters = new Map(
      [...disposition.matchAll(PARAMETER)].map(([, key = '', quoted, bare]) => [key.toLowerCase(), quoted ?? bare]),
    )
    const name = parameters.get('name')
    if (name === undefined) return null
    parts.push({ name, bytes: body.subarray(headersEnd + 4, end) })
    offset = end + delimiter.length
  }
  return parts
}
