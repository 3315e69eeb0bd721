import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { signInDemoPeople } from '../../scripts/sign-in-demo-people.ts'
import { startSite } from '../../scripts/start-site.ts'
import { asMegabytes, asSeconds, figure, figureAtMost, type Row, readMemory } from './bench-figures.ts'

const MAX_MEMORY = 600_000_000

/**
 * Measures the duration of concurrent image uploads, and the memory of the site and its encoder during the uploads.
 * Throws if temporary files are left.
 */
export async function uploads(): Promise<Row[]> {
  const temporary = mkdtempSync(join(tmpdir(), 'noren-uploads-'))
  const before = process.env.TMPDIR
  process.env.TMPDIR = temporary
  try {
    await using site = await startSite()
    const upload = await createUploader(site)
    const rows: Row[] = []
    for (const { label, picture, expectedStatus, count } of await pictures()) {
      const memory = monitorMemory(site.pid)
      const began = performance.now()
      await upload(picture(), expectedStatus)
      const firstMs = performance.now() - began
      await Promise.all(
        Array.from({ length: count }, (_, index) => upload(picture(), expectedStatus, `127.0.0.${2 + (index % 4)}`)),
      )
      rows.push({
        label: `${label}, ${count} at once`,
        figures: [
          figure('one', firstMs, asSeconds),
          figure('all', performance.now() - began - firstMs, asSeconds),
          figureAtMost('memory', memory.peak(), MAX_MEMORY, asMegabytes),
        ],
      })
    }
    const leftovers = readdirSync(temporary).filter((name) => join(temporary, name) !== site.dataFolder)
    if (leftovers.length > 0) throw new Error(`Temporary files left: ${leftovers.join(', ')}`)
    return rows
  } finally {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
    rmSync(temporary, { recursive: true, force: true })
  }
}

// Each image differs from the previous one, because the site does not decode a known image again.
async function pictures() {
  let imageCount = 0
  const makeDifferent = (bytes: Buffer) => () => Buffer.concat([bytes, Buffer.from(`${imageCount++}`)])
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const
  const grain = await sharp({ create: { width: 1008, height: 744, channels: 3, background: '#888', noise } })
    .png()
    .toBuffer()
  const photograph = (width: number, height: number, options: object = {}) =>
    sharp(grain)
      .resize(width, height)
      .jpeg({ quality: 85, ...options })
      .withMetadata({ orientation: 6 })
      .toBuffer()
  const png = await sharp({ create: { width: 6800, height: 5200, channels: 4, background: '#c10a' } })
    .png({ progressive: true })
    .toBuffer()
  return [
    {
      label: '12 megapixels of a phone',
      picture: makeDifferent(await photograph(4032, 3024)),
      expectedStatus: 200,
      count: 20,
    },
    {
      label: '48 megapixels of a phone',
      picture: makeDifferent(await photograph(8064, 5952)),
      expectedStatus: 200,
      count: 20,
    },
    {
      label: '23 megapixels, progressive',
      picture: makeDifferent(await photograph(5600, 4133, { progressive: true, chromaSubsampling: '4:4:4' })),
      expectedStatus: 200,
      count: 20,
    },
    { label: '35 megapixels of interlaced PNG', picture: makeDifferent(png), expectedStatus: 200, count: 20 },
    { label: '25 MB that are no image', picture: () => Buffer.alloc(25_000_000), expectedStatus: 415, count: 20 },
  ]
}

async function createUploader(site: { address: string; dataFolder: string }) {
  const { address } = site
  const headers = { origin: address, cookie: (await signInDemoPeople(site)).administrator }
  return async (picture: Buffer, expected: number, localAddress = '127.0.0.1') => {
    const head = Buffer.from('--edge\r\ncontent-disposition: form-data; name="image"; filename="photo"\r\n\r\n')
    const status = await send(
      `${address}/api/upload`,
      Buffer.concat([head, picture, Buffer.from('\r\n--edge--\r\n')]),
      {
        ...headers,
        'content-type': 'multipart/form-data; boundary=edge',
      },
      localAddress,
    )
    if (status !== expected) throw new Error(`Upload failed: got status ${status}, expected ${expected}`)
  }
}

function send(url: string, body: Buffer, headers: Record<string, string>, localAddress: string) {
  return new Promise<number | undefined>((resolve, reject) => {
    const length = { 'content-length': String(body.length) }
    const sent = request(
      url,
      { method: 'POST', agent: false, localAddress, headers: { ...headers, ...length } },
      (response) => {
        response.resume().on('end', () => resolve(response.statusCode))
      },
    )
    sent.on('error', reject).end(body)
  })
}

/** Monitors the total memory of a process and its children. */
function monitorMemory(pid: number) {
  let peak = 0
  const sample = () => {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
    const now = [pid, ...children].reduce((sum: number, each) => sum + readMemory(each), 0)
    peak = Math.max(peak, now)
  }
  const timer = setInterval(sample, 20)
  return {
    peak() {
      clearInterval(timer)
      sample()
      return peak
    },
  }
}
