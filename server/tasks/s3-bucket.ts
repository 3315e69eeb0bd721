import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { AwsClient } from 'aws4fetch'
import type { BackupBucket } from '../settings.ts'

/** Error of a request to the bucket. The message is Japanese, for the operator, and contains no credentials. */
export class BucketError extends Error {}

type Upload = { file: string; size: number; sha256: string; progress: () => void }

/** Returns the requests that a copy of the backups needs. All of them reject with BucketError. */
export function openBucket({ endpoint, name, region, isPathStyle, accessKeyId, secretAccessKey }: BackupBucket) {
  const client = new AwsClient({ service: 's3', accessKeyId, secretAccessKey, ...(region && { region }) })
  const url = bucketUrl({ endpoint, name, isPathStyle })

  async function send(path: string, init: RequestInit & { duplex?: 'half' } = {}) {
    const request = await client.sign(`${url}${path}`, { ...init, redirect: 'manual' })
    const response = await fetch(request).catch((cause) => {
      throw unreachable(url, cause)
    })
    if (response.ok) return response
    // A response to HEAD has no body.
    const [, code = ''] = /<Code>([\w.-]+)<\/Code>/.exec(await response.text().catch(() => '')) ?? []
    throw new BucketError(responseSentence(name, response.status, code))
  }

  return {
    /** Yields the key and the size of each object whose key begins with `prefix`. */
    async *list(prefix: string) {
      let token: string | undefined
      do {
        const query = new URLSearchParams({ 'list-type': '2', prefix, ...(token && { 'continuation-token': token }) })
        const response = await send(`?${query}`)
        const xml = await response.text().catch((cause) => {
          throw unreachable(url, cause)
        })
        for (const [, entry = ''] of xml.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
          yield { key: elementText(entry, 'Key') ?? '', size: Number(elementText(entry, 'Size')) }
        }
        token = elementText(xml, 'NextContinuationToken')
      } while (token)
    },

    /** Uploads a file in one request, so that the object is complete or absent. The server verifies the hash. */
    async put(key: string, { file, size, sha256, progress }: Upload) {
      const headers = { 'content-length': String(size), 'x-amz-content-sha256': sha256, 'x-amz-meta-sha256': sha256 }
      const body = Readable.toWeb(Readable.from(reportChunks(createReadStream(file), progress))) as ReadableStream
      await (await send(key, { method: 'PUT', headers, body, duplex: 'half' })).body?.cancel()
    },

    async head(key: string) {
      const { headers } = await send(key, { method: 'HEAD' })
      return { size: Number(headers.get('content-length')), sha256: headers.get('x-amz-meta-sha256') }
    },

    async get(key: string, progress: (bytes: number) => void) {
      const { headers, body } = await send(key)
      const chunks = reportChunks(body ?? [], progress, (cause) => unreachable(url, cause))
      return { sha256: headers.get('x-amz-meta-sha256'), chunks }
    },

    async remove(key: string) {
      await (await send(key, { method: 'DELETE' })).body?.cancel()
    },
  }
}

function bucketUrl({ endpoint, name, isPathStyle }: Pick<BackupBucket, 'endpoint' | 'name' | 'isPathStyle'>) {
  const url = new URL(endpoint)
  if (!isPathStyle) url.hostname = `${name}.${url.hostname}`
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${isPathStyle ? `${name}/` : ''}`
  return url.href
}

async function* reportChunks(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  progress: (bytes: number) => void,
  wrapError: (error: unknown) => unknown = (error) => error,
) {
  try {
    for await (const chunk of chunks) {
      progress(chunk.length)
      yield chunk
    }
  } catch (error) {
    throw wrapError(error)
  }
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function elementText(xml: string, element: string) {
  const [, text] = new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml) ?? []
  return text?.replaceAll(/&(amp|lt|gt|quot|apos);/g, (_, entity) => entities[entity] ?? '')
}

// Tested against the error code and the status, such as `SlowDown 503`. Compatible servers have codes of their own.
const responseSentences: [RegExp, string][] = [
  [
    /^RequestTimeTooSkewed|^RequestExpired/,
    'サーバーの時計がずれています。timedatectl set-ntp true などで合わせてください。',
  ],
  [
    /^InvalidAccessKeyId|^SignatureDoesNotMatch|^InvalidSecurity|^Unauthorized/,
    'アクセスキーが受け付けられません。設定 BACKUP_S3_ACCESS_KEY_ID と BACKUP_S3_SECRET_ACCESS_KEY をお直しください。',
  ],
  [
    /Quota|Storage(?:Full|Limit|Cap)|InsufficientStorage|EntityTooLarge| 507$| 413$/,
    '保管先の容量の上限に達しています。契約の容量を増やすか、不要なものを削除してください。',
  ],
  [
    /^AuthorizationHeaderMalformed| 3\d\d$/,
    'リージョンかアドレスが違います。設定 BACKUP_S3_REGION と BACKUP_S3_ENDPOINT をお直しください。',
  ],
  [
    /^NoSuchBucket|^InvalidBucketName|^ 404$/,
    'バケットが見つかりません。設定 BACKUP_S3_BUCKET と BACKUP_S3_ENDPOINT をお直しください。',
  ],
  [/ 40[13]$/, 'アクセスキーに権限がありません。このバケットの一覧、読み取り、書き込み、削除を許可してください。'],
  [/ 429$| 5\d\d$/, '保管先が一時的に応答できません。自動で再試行します。'],
]

function responseSentence(name: string, status: number, code: string) {
  const response = `${code} ${status}`
  const [, sentence = '保管先が受け付けません。設定 BACKUP_S3_ENDPOINT をご確認ください。'] =
    responseSentences.find(([pattern]) => pattern.test(response)) ?? []
  return `${bucketLabel(name)}が「${response.trim()}」と応答しました。${sentence}`
}

export const bucketLabel = (name: string) => `クラウドの保管先（${name}）`

function unreachable(url: string, cause: unknown) {
  const { code, message } = ((cause as Error).cause ?? cause) as NodeJS.ErrnoException
  return new BucketError(
    `クラウドの保管先（${new URL(url).origin}）につながらないか、通信が途中で切れました（${code ?? message}）。ネットワークと、設定 BACKUP_S3_ENDPOINT をご確認ください。`,
    { cause },
  )
}
