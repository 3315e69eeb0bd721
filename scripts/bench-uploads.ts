import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { openDatabase } from '../db/open.ts'
import { asMegabytes, asSeconds, atMost, figure, type Row } from './bench-figures.ts'
import { startSite } from './start-site.ts'

const PASSWORD = 'irasshaimase'
const AT_ONCE = 20
const BUDGET = 600_000_000

/** What the site holds in memory while twenty pictures come at once, and how long one takes; nothing may be left on the disk. */
export async function uploads(): Promise<Row[]> {
  const temporary = mkdtempSync(join(tmpdir(), 'noren-uploads-'))
  const before = process.env.TMPDIR
  process.env.TMPDIR = temporary
  try {
    await using site = await startSite()
    const upload = await signedIn(site)
    const rows: Row[] = []
    for (const [what, picture, expected] of await pictures()) {
      const began = performance.now()
      await upload(picture(), expected)
      const one = performance.now() - began
      await Promise.all(Array.from({ length: AT_ONCE }, () => upload(picture(), expected)))
      const all = performance.now() - began - one
      rows.push({
        what: `${what}, alone and ${AT_ONCE} at once`,
        figures: [
          figure('one', one, asSeconds),
          figure('all', all, asSeconds),
          figure('memory after', memoryOf(site.pid, 'VmRSS'), asMegabytes),
          atMost('memory at most', memoryOf(site.pid, 'VmHWM'), BUDGET, asMegabytes),
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

// Each picture differs from the one before: one that is known would not be decoded.
async function pictures() {
  let count = 0
  const different = (bytes: Buffer) => () => Buffer.concat([bytes, Buffer.from(`${count++}`)])
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const
  const grain = await sharp({ create: { width: 1008, height: 744, channels: 3, background: '#888', noise } })
    .png()
    .toBuffer()
  const photograph = (width: number, height: number) => sharp(grain).resize(width, height).jpeg({ quality: 85 })
  return [
    [
      'a phone’s 12 megapixels',
      different(await photograph(4032, 3024).withMetadata({ orientation: 6 }).toBuffer()),
      200,
    ],
    [
      '48 megapixels, progressive',
      different(await photograph(8064, 5952).jpeg({ progressive: true, chromaSubsampling: '4:4:4' }).toBuffer()),
      200,
    ],
    [
      '48 megapixels of interlaced PNG',
      different(
        await sharp({ create: { width: 8064, height: 5952, channels: 4, background: '#c10a' } })
          .png({ progressive: true })
          .toBuffer(),
      ),
      200,
    ],
    ['24 MB that are no picture', () => Buffer.alloc(24 * 1024 * 1024), 415],
  ] as const
}

async function signedIn({ address, dataFolder }: { address: string; dataFolder: string }) {
  const bundle = '../build/server/app.js'
  const { openAccounts, registerPeople }: typeof import('../server/app.ts') = await import(bundle)
  const db = await openDatabase({ file: join(dataFolder, 'site.db') })
  const people = await openAccounts(db, PASSWORD, Date.now())
  await registerPeople(db, Date.now())
  await db.destroy()
  const body = new URLSearchParams({ email: people.at(-1)?.email ?? '', password: PASSWORD })
  const signIn = await fetch(`${address}/emaillogin`, {
    method: 'POST',
    body,
    redirect: 'manual',
    headers: { origin: address },
  })
  const cookie = signIn.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  return async (picture: Buffer, expected: number) => {
    const form = new FormData()
    form.append('image', new File([new Uint8Array(picture)], 'photo'))
    const headers = { cookie, origin: address }
    const { status } = await fetch(`${address}/api/upload`, { method: 'POST', body: form, headers })
    if (status !== expected) throw new Error(`A picture was answered ${status}.`)
  }
}

function memoryOf(pid: number, name: 'VmRSS' | 'VmHWM') {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024
}
