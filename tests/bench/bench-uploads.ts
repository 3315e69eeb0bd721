import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { signInDemoPeople } from '../../scripts/sign-in-demo-people.ts'
import { startSite } from '../../scripts/start-site.ts'
import { asMegabytes, asSeconds, atMost, figure, memoryOf, type Row } from './bench-figures.ts'

const BUDGET = 600_000_000

/**
 * Measures the memory of the site and its encoder during concurrent image uploads, and their time. Throws if temporary
 * files are left.
 */
export async function uploads(): Promise<Row[]> {
  const temporary = mkdtempSync(join(tmpdir(), 'noren-uploads-'))
  const before = process.env.TMPDIR
  process.env.TMPDIR = temporary
  try {
    await using site = await startSite()
    const upload = await signedIn(site)
    const rows: Row[] = []
    for (const { what, picture, answer, atOnce } of await pictures()) {
      const memory = watchMemory(site.pid)
      const began = performance.now()
      await upload(picture(), answer)
      const one = performance.now() - began
      await Promise.all(
        Array.from({ length: atOnce }, (_, index) => upload(picture(), answer, `127.0.0.${2 + (index % 4)}`)),
      )
      rows.push({
        what: `${what}, ${atOnce} at once`,
        figures: [
          figure('one', one, asSeconds),
          figure('all', performance.now() - began - one, asSeconds),
          atMost('memory', memory.most(), BUDGET, asMegabytes),
        ],
      })
    }
    const left = readdirSync(temporary).filter((name) => join(temporary, name) !== site.dataFolder)
    if (left.length > 0) throw new Error(`Temporary files were left: ${left.join(', ')}`)
    return rows
  } finally {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
    rmSync(temporary, { recursive: true, force: true })
  }
}

// Each image differs from the previous one, because the site does not decode a known image again.
async function pictures() {
  let count = 0
  const different = (bytes: Buffer) => () => Buffer.concat([bytes, Buffer.from(`${count++}`)])
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
    { what: '12 megapixels of a phone', picture: different(await photograph(4032, 3024)), answer: 200, atOnce: 20 },
    { what: '48 megapixels of a phone', picture: different(await photograph(8064, 5952)), answer: 200, atOnce: 20 },
    {
      what: '23 megapixels, progressive',
      picture: different(await photograph(5600, 4133, { progressive: true, chromaSubsampling: '4:4:4' })),
      answer: 200,
      atOnce: 20,
    },
    { what: '35 megapixels of interlaced PNG', picture: different(png), answer: 200, atOnce: 20 },
    { what: '25 MB that are no picture', picture: () => Buffer.alloc(25_000_000), answer: 415, atOnce: 20 },
  ]
}

async function signedIn(site: { address: string; dataFolder: string }) {
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
    if (status !== expected) throw new Error(`A picture was answered ${status}.`)
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
function watchMemory(pid: number) {
  let most = 0
  const look = () => {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
    const now = [pid, ...children].reduce((sum: number, each) => sum + memoryOf(each), 0)
    most = Math.max(most, now)
  }
  const timer = setInterval(look, 20)
  return {
    most() {
      clearInterval(timer)
      look()
      return most
    },
  }
}
