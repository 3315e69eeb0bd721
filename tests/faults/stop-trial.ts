import { once } from 'node:events'
import { get, type IncomingMessage, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import sharp from 'sharp'
import { type Site, startSite } from '../../scripts/start-site.ts'
import { openAudit } from './audit.ts'
import { noneGoal, runOnEngines, type TrialOptions, type TrialResult, withinGoal } from './goals.ts'
import { randomFrom } from './random.ts'
import { type Engine, openSiteCopy } from './site-copy.ts'
import { openWorkload } from './workload.ts'

const UPLOAD_DURATION_MS = 7000
const STOP_TIMEOUT_MS = 11_000

/** Stops the site while people write, read its live stream and upload an image over a slow connection. */
export async function stop({ runs = 1, seed, selectedEngines }: TrialOptions): Promise<TrialResult[]> {
  return runOnEngines(selectedEngines, (engine) => stopOn(engine, runs, seed))
}

async function stopOn(engine: Engine, runs: number, seed: number): Promise<TrialResult> {
  const audit = openAudit()
  const [failedUploads, exitCodes]: [string[], string[]] = [[], []]
  const stopTimes: number[] = []
  const copy = await openSiteCopy(engine)
  const workload = openWorkload(copy, seed)
  const start = () => startSite(copy.settings, { folder: copy.folder })
  let site = await start()
  await workload.runEach(site.address)
  for (let run = 0; run < runs; run += 1) {
    const writing = new AbortController()
    const work = workload.write(site.address, writing.signal)
    const stream = await openStream(site.address)
    const upload = uploadSlowly(site, copy.cookies.administrator)
    await pause(randomFrom(seed + run).between(300, 1200))
    const began = performance.now()
    site.child.kill('SIGTERM')
    const [code] = await site.exited
    stopTimes.push(performance.now() - began)
    writing.abort()
    await work
    stream.destroy()
    const status = await upload
    if (status !== 200) failedUploads.push(`run ${run}: upload status ${status || 'none'}`)
    if (code !== 0) exitCodes.push(`run ${run}: exit code ${code}`)
    site = await start()
    await audit.check(copy, workload.log, { run: `${engine}, run ${run}`, address: site.address })
    await workload.log.repeatUnknown(site.address)
  }
  await audit.check(copy, workload.log, { run: `${engine}, at the end`, address: site.address })
  await site.stop()
  audit.close(workload.log)
  await copy.close()
  const goals = [
    ...audit.goals(),
    noneGoal('failed uploads', failedUploads),
    noneGoal('exit codes other than 0', exitCodes),
    withinGoal('shutdown', stopTimes, STOP_TIMEOUT_MS),
  ]
  return { label: engine, runs, goals, operations: audit.operations() }
}

async function openStream(address: string) {
  const [response] = (await once(get(`${address}/api/live`, { agent: false }), 'response')) as [IncomingMessage]
  // When the site stops, it closes the stream, which raises an error event.
  return response.on('error', () => {}).resume()
}

/** Uploads an image in pieces, for seven seconds. Returns the status, or 0 if there was no response. */
async function uploadSlowly({ address }: Site, cookie: string) {
  const background = { r: 90, g: 20, b: Math.floor(Math.random() * 256) }
  const image = await sharp({ create: { width: 300, height: 180, channels: 3, background } })
    .png()
    .toBuffer()
  const partHeader = '--edge\r\ncontent-disposition: form-data; name="image"; filename="photo"\r\n\r\n'
  const body = Buffer.concat([Buffer.from(partHeader), image, Buffer.from('\r\n--edge--\r\n')])
  return new Promise<number>((resolve) => {
    const type = 'multipart/form-data; boundary=edge'
    const headers = { origin: address, cookie, 'content-type': type, 'content-length': `${body.length}` }
    const sending = request(`${address}/api/upload`, { method: 'POST', agent: false, headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0))
    })
    sending.on('error', () => resolve(0))
    void writeInPieces(body, (piece) => sending.write(piece)).then(() => sending.end())
  })
}

async function writeInPieces(body: Buffer, write: (piece: Buffer) => void) {
  const count = 20
  const size = Math.ceil(body.length / count)
  for (let index = 0; index < count; index += 1) {
    write(body.subarray(index * size, (index + 1) * size))
    await pause(UPLOAD_DURATION_MS / count)
  }
}
