import { once } from 'node:events'
import { get, type IncomingMessage, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import sharp from 'sharp'
import { type Site, startSite } from '../../scripts/start-site.ts'
import { openAudit } from './audit.ts'
import { type Asked, none, onEach, type Tried, within } from './goals.ts'
import { type Engine, openPlace } from './site-copy.ts'
import { randomFrom } from './random.ts'
import { openWriter } from './workload.ts'

const UPLOAD_GOES_ON_MS = 7000
const ENDS_WITHIN_MS = 11_000

/** Stops the site while people write, read its stream, and upload an image over a slow connection. */
export async function stop({ runs = 1, seed, on }: Asked): Promise<Tried[]> {
  return onEach(on, (engine) => stopOn(engine, runs, seed))
}

async function stopOn(engine: Engine, runs: number, seed: number): Promise<Tried> {
  const audit = openAudit()
  const [cut, codes]: [string[], string[]] = [[], []]
  const ends: number[] = []
  const place = await openPlace(engine)
  const writer = openWriter(place, seed)
  const start = () => startSite(place.settings, { folder: place.folder })
  let site = await start()
  await writer.doEach(site.address)
  for (let run = 0; run < runs; run += 1) {
    const writing = new AbortController()
    const work = writer.write(site.address, writing.signal)
    const stream = await openStream(site.address)
    const upload = uploadSlowly(site, place.cookies.administrator)
    await pause(randomFrom(seed + run).between(300, 1200))
    const began = performance.now()
    site.child.kill('SIGTERM')
    const [code] = await site.exited
    ends.push(performance.now() - began)
    writing.abort()
    await work
    stream.destroy()
    const status = await upload
    if (status !== 200) cut.push(`run ${run}: the picture was answered ${status || 'not at all'}`)
    if (code !== 0) codes.push(`run ${run}: exit code ${code}`)
    site = await start()
    await audit.look(place, writer.ledger, { run: `${engine}, run ${run}`, address: site.address })
    await writer.ledger.sendAgain(site.address)
  }
  await audit.look(place, writer.ledger, { run: `${engine}, at the end`, address: site.address })
  await site.stop()
  audit.close(writer.ledger)
  await place.close()
  const goals = [
    ...audit.goals(),
    none('uploads that were cut', cut),
    none('other ends than 0', codes),
    within('ended', ends, ENDS_WITHIN_MS),
  ]
  return { of: engine, runs, goals, deeds: audit.deeds() }
}

async function openStream(address: string) {
  const [response] = (await once(get(`${address}/api/live`, { agent: false }), 'response')) as [IncomingMessage]
  // The site closes the stream at its end, which raises an error event.
  return response.on('error', () => {}).resume()
}

/** Uploads an image in pieces, for seven seconds. Returns the status, or 0 without a response. */
async function uploadSlowly({ address }: Site, cookie: string) {
  const background = { r: 90, g: 20, b: Math.floor(Math.random() * 256) }
  const picture = await sharp({ create: { width: 300, height: 180, channels: 3, background } })
    .png()
    .toBuffer()
  const head = '--edge\r\ncontent-disposition: form-data; name="image"; filename="photo"\r\n\r\n'
  const body = Buffer.concat([Buffer.from(head), picture, Buffer.from('\r\n--edge--\r\n')])
  return new Promise<number>((resolve) => {
    const type = 'multipart/form-data; boundary=edge'
    const headers = { origin: address, cookie, 'content-type': type, 'content-length': `${body.length}` }
    const sending = request(`${address}/api/upload`, { method: 'POST', agent: false, headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0))
    })
    sending.on('error', () => resolve(0))
    void inPieces(body, (piece) => sending.write(piece)).then(() => sending.end())
  })
}

async function inPieces(body: Buffer, write: (piece: Buffer) => void) {
  const count = 20
  const size = Math.ceil(body.length / count)
  for (let index = 0; index < count; index += 1) {
    write(body.subarray(index * size, (index + 1) * size))
    await pause(UPLOAD_GOES_ON_MS / count)
  }
}
