import sharp, { type Metadata } from 'sharp'
import type { PictureFileRow } from '../../db/tables.ts'
import { type Box, boxes, widthsOf } from './image.ts'

sharp.cache(false)
sharp.concurrency(1)

const MAX_PIXELS = 50_000_000
const MAX_MEMORY_BYTES = 150_000_000
const TIMEOUT_SECONDS = 30

export type ImageError = { status: 400 | 413 | 415 | 429; message: string }
export type ImageVariants = { width: number; height: number; files: Omit<PictureFileRow, 'name'>[] }

const imageErrors = {
  empty: { status: 400, message: 'ファイルの中身がありません。もう一度お選びください。' },
  broken: { status: 400, message: '写真のデータが途中で切れているか、壊れています。もう一度お選びください。' },
  heic: {
    status: 415,
    message:
      'HEIC形式の写真はお使いになれません。JPEGで保存した写真をお選びください。iPhoneでは「設定」→「カメラ」→「フォーマット」→「互換性優先」にすると、JPEGで撮れます。',
  },
  notAnImage: { status: 415, message: '写真ではないファイルです。JPEG・PNG・WebP・AVIF・GIFの写真をお選びください。' },
  tooManyPixels: {
    status: 413,
    message: '写真の画素が多すぎて開けません。小さくしてからお選びください。',
  },
} satisfies Record<string, ImageError>

/** Encodes an image in all widths and formats of its box: upright, on white, without metadata, never enlarged. */
export async function encodeVariants(bytes: Buffer, box: Box): Promise<ImageVariants | ImageError> {
  if (bytes.length === 0) return imageErrors.empty
  const format = formatOf(bytes)
  if (format === 'heic') return imageErrors.heic
  if (!format) return imageErrors.notAnImage
  const open = (limits: object) => sharp(bytes, { failOn: 'error', ...limits })
  const metadata = await open({ limitInputPixels: false })
    .metadata()
    .catch(() => null)
  if (!metadata) return imageErrors.broken
  if (metadata.width * metadata.height > MAX_PIXELS || memoryToDecode(metadata) > MAX_MEMORY_BYTES)
    return imageErrors.tooManyPixels

  const upright = await open({ limitInputPixels: MAX_PIXELS })
    .timeout({ seconds: TIMEOUT_SECONDS })
    .autoOrient()
    .resize({ ...boxes[box], fit: 'inside', withoutEnlargement: true })
    .flatten({ background: '#fff' })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true })
    .catch(() => null)
  if (!upright) return imageErrors.broken
  const { data, info } = upright
  const files: ImageVariants['files'] = []
  for (const width of widthsOf(box)) {
    const height = Math.round((width * boxes[box].height) / boxes[box].width)
    const sized = sharp(data, { raw: info }).resize({ width, height, fit: 'inside', withoutEnlargement: true })
    // AVIF effort 4 takes five times as long as effort 2 and saves only 8 % of the bytes.
    files.push({ width, format: 'avif', bytes: await sized.clone().avif({ quality: 50, effort: 2 }).toBuffer() })
    files.push({ width, format: 'webp', bytes: await sized.clone().webp({ quality: 75 }).toBuffer() })
    files.push({ width, format: 'jpg', bytes: await sized.clone().jpeg({ quality: 75, mozjpeg: true }).toBuffer() })
  }
  return { width: info.width, height: info.height, files }
}

// Reads the magic bytes, because the client chooses the filename and the MIME type.
function formatOf(bytes: Buffer) {
  const hasBytes = (text: string, offset = 0) => bytes.toString('latin1', offset, offset + text.length) === text
  if (hasBytes('\xff\xd8\xff')) return 'jpeg'
  if (hasBytes('\x89PNG\r\n\x1a\n')) return 'png'
  if (hasBytes('GIF87a') || hasBytes('GIF89a')) return 'gif'
  if (hasBytes('RIFF') && hasBytes('WEBP', 8)) return 'webp'
  if (!hasBytes('ftyp', 4)) return null
  // Major and compatible brands of an ISO media file.
  const brands = bytes.toString('latin1', 8, Math.min(bytes.readUInt32BE(0), 64))
  if (/avif|avis/.test(brands)) return 'avif'
  return /hei[cxms]|hev[cx]|mif1|msf1/.test(brands) ? 'heic' : null
}

// Returns bytes. The decoder stores a whole interlaced or progressive image before the first line.
function memoryToDecode({ format, width, height, channels, depth, isProgressive }: Metadata) {
  const pixels = width * height
  if (format === 'heif') return pixels * 18
  if (format === 'gif') return pixels * 5
  return isProgressive ? pixels * channels * (format === 'jpeg' || depth === 'ushort' ? 2 : 1) : pixels * 1.5
}
