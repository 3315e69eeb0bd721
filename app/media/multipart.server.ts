const MOST_HEADERS = 4096

/** The boundary of a form with files, by its Content-Type; null for anything else. */
export function boundaryOf(contentType: string) {
  const [, quoted, bare] =
    /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ?? []
  return quoted ?? bare ?? null
}

/**
 * The parts of a multipart/form-data body (RFC 7578) by name, the first of each, as views of its bytes: nothing is copied.
 * Null where it is malformed or cut off.
 */
export function partsOf(body: Buffer, boundary: string): Map<string, Buffer> | null {
  const parts = new Map<string, Buffer>()
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  let at = delimiter.length - 2
  if (!body.subarray(0, at).equals(delimiter.subarray(2))) return null
  while (body.toString('latin1', at, at + 2) !== '--') {
    const headersEnd = body.indexOf('\r\n\r\n', at)
    const end = body.indexOf(delimiter, headersEnd + 4)
    if (headersEnd === -1 || headersEnd - at > MOST_HEADERS || end === -1) return null
    const headers = body.toString('utf8', at, headersEnd)
    const [, name] = /^content-disposition:[^\r\n]*?\bname="([^"\r\n]*)"/im.exec(headers) ?? []
    if (name === undefined) return null
    if (!parts.has(name)) parts.set(name, body.subarray(headersEnd + 4, end))
    at = end + delimiter.length
  }
  return parts
}
