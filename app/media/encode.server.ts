import type { Metadata } from 'sharp'
import type { PictureFileRow } from '../../db/tables.ts'
import { createGate } from './gate.ts'
import { type Box, boxes, widthsOf } from './image.ts'

const MOST_PIXELS = 50_000_000
const MOST_MEMORY = 300_000_000
const SECONDS = 30

const decoding = createGate({ places: 2, room: MOST_MEMORY })

export type Refusal = { status: 400 | 413 | 415 | 429; message: string }
type Encoded = { width: number; height: number; files: Omit<PictureFileRow, 'name'>[] }

const refusals = {
  empty: { status: 400, message: 'ファイルの中身がありません。もう一度お選びください。' },
  broken: { status: 400, message: '写真のデータが途中で切れているか、壊れています。もう一度お選びください。' },
  heic: {
    status: 415,
    message:
      'HEIC形式の写真はお使いになれません。JPEGで保存した写真をお選びください。iPhoneでは「設定」→「カメラ」→「フォーマット」→「互換性優先」にすると、JPEGで撮れます。',
  },
  noPicture: { status: 415, message: '写真ではないファイルです。JPEG・PNG・WebP・AVIF・GIFの写真をお選びください。' },
  tooManyPixels: {
    status: 413,
    message: '写真の画素が多すぎます。5,000万画素までのJPEGの写真をお選びください。',
  },
} satisfies Record<string, Refusal>

/**
 * A picture as it came, made anew in every width and format of its box: upright, never enlarged, on white where it was
 * transparent, and without anything else that the file carried. What is no picture, broken or too large is refused.
 */
export async function encodePicture(bytes: Buffer, box: Box): Promise<Encoded | Refusal> {
  if (bytes.length === 0) return refusals.empty
  const kind = kindOf(bytes)
  if (kind === 'heic') return refusals.heic
  if (!kind) return refusals.noPicture
  const sharp = await loadSharp()
  const read = (limits: object) => sharp(bytes, { failOn: 'error', ...limits })
  const told = await read({ limitInputPixels: false })
    .metadata()
    .catch(() => null)
  if (!told) return refusals.broken
  const memory = memoryToDecode(told)
  if (told.width * told.height > MOST_PIXELS || memory > MOST_MEMORY) return refusals.tooManyPixels

  return decoding.pass(memory, async () => {
    const upright = await read({ limitInputPixels: MOST_PIXELS })
      .timeout({ seconds: SECONDS })
      .autoOrient()
      .resize({ ...boxes[box], fit: 'inside', withoutEnlargement: true })
      .flatten({ background: '#fff' })
      .toColourspace('srgb')
      .raw()
      .toBuffer({ resolveWithObject: true })
      .catch(() => null)
    if (!upright) return refusals.broken
    const { data, info } = upright
    const files: Encoded['files'] = []
    for (const width of widthsOf(box)) {
      const height = Math.round((width * boxes[box].height) / boxes[box].width)
      const sized = sharp(data, { raw: info }).resize({ width, height, fit: 'inside', withoutEnlargement: true })
      // An effort of 4 takes five times as long and saves 8 %.
      files.push({ width, format: 'avif', bytes: await sized.clone().avif({ quality: 50, effort: 2 }).toBuffer() })
      files.push({ width, format: 'webp', bytes: await sized.clone().webp({ quality: 75 }).toBuffer() })
      files.push({ width, format: 'jpg', bytes: await sized.clone().jpeg({ quality: 75, mozjpeg: true }).toBuffer() })
    }
    return { width: info.width, height: info.height, files }
  })
}

// What its first bytes say, whatever it is called.
function kindOf(bytes: Buffer) {
  const begins = (text: string, at = 0) => bytes.toString('latin1', at, at + text.length) === text
  if (begins('\xff\xd8\xff')) return 'jpeg'
  if (begins('\x89PNG\r\n\x1a\n')) return 'png'
  if (begins('GIF87a') || begins('GIF89a')) return 'gif'
  if (begins('RIFF') && begins('WEBP', 8)) return 'webp'
  if (!begins('ftyp', 4)) return null
  // The brands of an ISO media file: what it is, and what else it may be read as.
  const brands = bytes.toString('latin1', 8, Math.min(bytes.readUInt32BE(0), 64))
  if (/avif|avis/.test(brands)) return 'avif'
  return /hei[cxms]|hev[cx]|mif1|msf1/.test(brands) ? 'heic' : null
}

// In bytes, measured at their worst: an interlaced or progressive picture is held whole before the first line is ready.
function memoryToDecode({ format, width, height, channels, depth }: Metadata) {
  const pixels = width * height
  if (format === 'heif') return pixels * 18
  if (format === 'png') return pixels * channels * (depth === 'ushort' ? 2 : 1)
  return pixels * (format === 'jpeg' ? channels * 2 : 5)
}

// When it is first needed: most of the time a site only shows pictures.
async function loadSharp() {
  const { default: sharp } = await import('sharp')
  sharp.cache(false)
  sharp.concurrency(1)
  return sharp
}
