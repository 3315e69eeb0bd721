import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib'

const brotli = promisify(brotliCompress)
const gzipped = promisify(gzip)
const zstd = promisify(zstdCompress)

const WORTH_COMPRESSING = 1024

export type TextPage = ReturnType<typeof textPage>

/** Creates a response that is compressed once per encoding. `once`: for a single visitor, so fast and without ETag. */
export function textPage(text: string, status: number, headers: Headers, { once = false } = {}) {
  const body = Buffer.from(text)
  const etag = status === 200 && !once ? `W/"${hash('sha256', body, 'base64url').slice(0, 22)}"` : null
  headers.set('vary', 'accept-encoding')
  if (etag) headers.set('etag', etag)
  const made = new Map<Encoding, ReturnType<typeof compressed>>()
  const encodingFor = (accepted = '') =>
    body.length < WORTH_COMPRESSING ? undefined : preferredEncoding(accepted, { once })
  const bytesFor = async (accepted?: string) => {
    const encoding = encodingFor(accepted)
    if (!encoding) return body
    const bytes = made.get(encoding) ?? compressed(body, encoding, once)
    made.set(encoding, bytes)
    return bytes
  }
  /** Whether an If-None-Match header contains the ETag. */
  const isKnownTo = (known?: string) => etag !== null && known?.includes(etag) === true

  return {
    status,
    headers,
    bytes: body.length,
    text: () => body.toString(),
    bytesFor,
    isKnownTo,
    isDocument: headers.get('content-type')?.startsWith('text/html') === true,
    async answer(request: Request) {
      const own = new Headers(headers)
      if (isKnownTo(request.headers.get('if-none-match') ?? '')) {
        return new Response(null, { status: 304, headers: own })
      }
      const accepted = request.headers.get('accept-encoding') ?? ''
      const encoding = encodingFor(accepted)
      if (encoding) own.set('content-encoding', encoding)
      const bytes = await bytesFor(accepted)
      own.set('content-length', String(bytes.length))
      return new Response(request.method === 'HEAD' ? null : bytes, { status, headers: own })
    },
  }
}

const accepts = (encoding: string) => new RegExp(`\\b${encoding}\\b(?!;\\s*q=0(?:\\.0*)?(?:,|$))`)
const accepting = { br: accepts('br'), zstd: accepts('zstd'), gzip: accepts('gzip') }
type Encoding = keyof typeof accepting

// Brotli makes a page a tenth smaller; zstd takes a third of the time.
const smallest = ['br', 'zstd', 'gzip'] as const
const quickest = ['zstd', 'br', 'gzip'] as const

export function preferredEncoding(accepted: string, { once = false } = {}): Encoding | undefined {
  return (once ? quickest : smallest).find((encoding) => accepting[encoding].test(accepted))
}

function compressed(body: Buffer, encoding: Encoding, once: boolean) {
  if (encoding === 'gzip') return gzipped(body, { level: once ? 1 : 6 })
  if (encoding === 'zstd') return zstd(body, { params: { [constants.ZSTD_c_compressionLevel]: once ? 3 : 9 } })
  // Quality 7 of 11 for shared pages: 1.6 % smaller than 5 for half a millisecond more per page.
  // A page fits this window; the default one takes several megabytes per compression.
  const params = { [constants.BROTLI_PARAM_QUALITY]: once ? 1 : 7, [constants.BROTLI_PARAM_LGWIN]: 18 }
  return brotli(body, { params })
}
