// `node scripts/render-art.ts [name…]`. Without names, renders only files that are older than their source.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, parse } from 'node:path'
import type { Writable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import sharp, { type Sharp } from 'sharp'

type Format = 'avif' | 'webp' | 'jpg'
type Film = { seconds: number; fps: number; frame: (t: number) => string }
type Art = { name: string; source: string; outputs: string[] }

const root = join(import.meta.dirname, '..', 'art')
const rendered = join(root, 'rendered')
const formats: Format[] = ['avif', 'webp', 'jpg']

// Maximum bytes by pixel width, and the qualities to try, best first.
const maxBytes: Record<string, Record<number, number>> = {
  avif: { 400: 16_000, 800: 28_000, 1280: 45_000, 1920: 75_000 },
  webp: { 400: 22_400, 800: 56_000, 1280: 63_000, 1920: 105_000 },
  jpg: { 400: 30_400, 800: 76_000, 1280: 85_500, 1920: 142_500 },
}
const qualities = { avif: [66, 58, 52, 46, 40, 34], webp: [82, 74, 66, 58, 50, 40], jpg: [82, 76, 70, 62, 54, 44] }

const MAX_FILM_BYTES = 400_000
const h264 = '-c:v libx264 -preset veryslow -tune animation -movflags +faststart'
const h264Qualities = [20, 22, 24, 26, 28, 30, 33, 36]
const vp9 = '-c:v libvpx-vp9 -b:v 0 -cpu-used 1 -row-mt 1 -lag-in-frames 25'
const vp9Qualities = [28, 31, 34, 36, 38, 40, 42, 44, 47, 50, 54]
const bt709 = '-pix_fmt yuv420p -colorspace bt709 -color_primaries bt709 -color_trc bt709'
const plain = `-vf scale=out_color_matrix=bt709:out_range=tv ${bt709} -g 999 -an -map_metadata -1 -bitexact`

const names = process.argv.slice(2)
const all = [...pictures(), ...films()]
const unknown = names.find((name) => !all.some((art) => art.name === name))
if (unknown) fail(`Unknown image or film: ${unknown}`)

mkdirSync(rendered, { recursive: true })
for (const art of all.filter((art) => (names.length > 0 ? names.includes(art.name) : isOutdated(art)))) {
  await (art.source.endsWith('.svg') ? renderPicture(art) : renderFilm(art))
  for (const file of art.outputs) console.log(file, statSync(join(rendered, file)).size)
}

function pictures(): Art[] {
  return filesIn('pictures', '.svg').map((name) => {
    return { name, source: join(root, 'pictures', `${name}.svg`), outputs: stillFiles(name, sizes(name)) }
  })
}

function films(): Art[] {
  const scripts = filesIn('films', '.ts').filter((script) => script !== 'drawing')
  return scripts.map((script) => {
    const name = `film-${script}`
    const outputs = [`${name}.mp4`, `${name}.webm`, ...stillFiles(`${name}-poster`, [800, 1280])]
    return { name, source: join(root, 'films', `${script}.ts`), outputs }
  })
}

function filesIn(folder: string, extension: string) {
  const files = readdirSync(join(root, folder)).filter((file) => file.endsWith(extension))
  return files.map((file) => parse(file).name).sort()
}

function sizes(name: string) {
  return name.startsWith('story-') ? [800, 1280, 1920] : [400, 800]
}

function stillFiles(name: string, widths: number[]) {
  return widths.flatMap((width) => formats.map((format) => `${name}-${width}.${format}`))
}

function isOutdated({ source, outputs }: Art) {
  const sources = source.endsWith('.ts') ? [source, join(root, 'films', 'drawing.ts')] : [source]
  const changed = Math.max(...sources.map((file) => statSync(file).mtimeMs))
  return outputs.some((file) => !existsSync(join(rendered, file)) || statSync(join(rendered, file)).mtimeMs < changed)
}

async function renderPicture({ source, outputs }: Art) {
  for (const file of outputs) await renderStill(readFileSync(source), file)
}

async function renderStill(svg: Buffer, file: string) {
  const format = parse(file).ext.slice(1) as Format
  const width = Number(/-(\d+)\.\w+$/.exec(file)?.[1])
  const drawnWidth = (await sharp(svg).metadata()).width
  const still = sharp(svg, { density: (72 * width) / drawnWidth }).resize(width)
  writeFileSync(join(rendered, file), await compress(still, format, width))
}

function compress(still: Sharp, format: Format, width: number) {
  return encodeWithin(maxBytes[format]?.[width] ?? 0, qualities[format], (quality) => {
    if (format === 'avif') return still.clone().avif({ quality, effort: 7, chromaSubsampling: '4:2:0' }).toBuffer()
    if (format === 'webp') return still.clone().webp({ quality, effort: 6 }).toBuffer()
    return still.clone().flatten().jpeg({ quality, mozjpeg: true }).toBuffer()
  })
}

async function renderFilm({ name, source, outputs }: Art) {
  const film: Film = await import(pathToFileURL(source).href)
  const poster = Buffer.from(film.frame(0))
  for (const file of outputs.filter((output) => output.startsWith(`${name}-poster-`))) await renderStill(poster, file)

  const folder = mkdtempSync(join(tmpdir(), 'film-'))
  await drawFrames(film, folder)
  const encode = (file: string, codec: string, qualities: number[]) =>
    encodeWithin(MAX_FILM_BYTES, qualities, async (crf) => {
      await ffmpeg(folder, `-i master.mkv ${codec} -crf ${crf} ${plain} ${file}`)
      return readFileSync(join(folder, file))
    })
  writeFileSync(join(rendered, `${name}.mp4`), await encode('film.mp4', h264, h264Qualities))
  writeFileSync(join(rendered, `${name}.webm`), await encode('film.webm', vp9, vp9Qualities))
  rmSync(folder, { recursive: true })
}

function drawFrames({ seconds, fps, frame }: Film, folder: string) {
  const total = seconds * fps
  return ffmpeg(folder, `-f rawvideo -pix_fmt rgb24 -s 1280x720 -r ${fps} -i - -c:v ffv1 master.mkv`, async (input) => {
    for (let i = 0; i < total; i++) {
      const drawing = sharp(Buffer.from(frame(i / total))).flatten()
      if (!input.write(await drawing.raw().toBuffer())) await once(input, 'drain')
    }
  })
}

async function encodeWithin(limit: number, qualities: number[], encode: (quality: number) => Promise<Buffer>) {
  for (const quality of qualities) {
    const bytes = await encode(quality)
    if (bytes.length <= limit) return bytes
  }
  return fail(`The lowest quality exceeds ${limit} bytes: simplify the drawing.`)
}

async function ffmpeg(cwd: string, settings: string, writeInput: (input: Writable) => Promise<void> = async () => {}) {
  const child = spawn('ffmpeg', `-y -v error ${settings}`.split(' '), { cwd, stdio: ['pipe', 'inherit', 'inherit'] })
  child.on('error', () => fail('Films need ffmpeg: on Debian, apt-get install ffmpeg.'))
  const exit = once(child, 'exit')
  await Promise.race([writeInput(child.stdin), exit])
  child.stdin.end()
  if ((await exit)[0] !== 0) fail('ffmpeg failed.')
}

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}
