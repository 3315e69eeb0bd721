import { crc32 } from 'node:zlib'
import sharp, { type Sharp } from 'sharp'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { freshSqlite } from '../../db/testing.ts'
import { often } from '../../scripts/abuse.ts'
import { sampleSite } from '../../server/testing.ts'
import { countAttempt } from '../platform/attempts.server.ts'
import { encodeVariants, type ImageVariants } from './encode.ts'
import { storeImage } from './images.server.ts'

const createSite = async () => {
  const sample = await sampleSite(await freshSqlite())
  await sample.people()
  /** Uploads a file in a multipart form. */
  const upload = async (
    bytes: Uint8Array<ArrayBuffer> | Buffer,
    { name = 'photo.jpg', type = 'image/jpeg', large = '' as '' | 'yes' | 'portrait' } = {},
  ) => {
    const form = new FormData()
    form.append('image', new File([new Uint8Array(bytes)], name, { type }))
    if (large) form.append('large', large)
    const response = await sample.as('administrator', '/api/upload', { method: 'POST', body: form })
    return {
      status: response.status,
      ...((await response.json()) as { success: boolean; url: string; message: string }),
    }
  }
  const readFile = async (path: string) => Buffer.from(await (await sample.as('guest', path)).arrayBuffer())
  return { ...sample, upload, readFile }
}

const solid = (width: number, height: number, background = '#b33', channels: 3 | 4 = 3) =>
  sharp({ create: { width, height, channels, background }, limitInputPixels: false })
/** Returns a PNG with four areas: red and green above, blue and yellow below. */
const drawFourAreas = async (width = 500, height = 300) => {
  const half = { width: width / 2, height: height / 2 }
  const field = (background: string, left: number, top: number) => ({
    input: { create: { ...half, channels: 3 as const, background } },
    left,
    top,
  })
  return solid(width, height)
    .composite([
      field('#f00', 0, 0),
      field('#0f0', half.width, 0),
      field('#00f', 0, half.height),
      field('#ff0', half.width, half.height),
    ])
    .png()
    .toBuffer()
}
/** Returns the colours of an image at positions between 0 and 1. Each colour is red, green and blue, 0 or 1. */
const coloursAt = async (image: Uint8Array, positions: [x: number, y: number][]) => {
  const { data, info } = await sharp(image).raw().toBuffer({ resolveWithObject: true })
  return positions.map(([x, y]) => {
    const at = (Math.floor(y * info.height) * info.width + Math.floor(x * info.width)) * info.channels
    return [...data.subarray(at, at + 3)].map((value) => Math.round(value / 255))
  })
}

// For each EXIF orientation, transforms an upright image into the pixels that a camera stores.
const rotations: Record<number, (upright: Sharp) => Promise<Sharp>> = {
  1: async (upright) => upright,
  2: async (upright) => upright.flop(),
  3: async (upright) => upright.rotate(180),
  4: async (upright) => upright.flip(),
  5: async (upright) => sharp(await upright.rotate(90).toBuffer()).flop(),
  6: async (upright) => upright.rotate(270),
  7: async (upright) => sharp(await upright.rotate(270).toBuffer()).flop(),
  8: async (upright) => upright.rotate(90),
}

test.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'encodes a photo with EXIF orientation %i upright in every size and format',
  async (orientation) => {
    const rotated = await rotations[orientation]?.(sharp(await drawFourAreas()))
    const photo = (await rotated?.jpeg().withMetadata({ orientation }).toBuffer()) as Buffer
    expect((await sharp(photo).metadata()).orientation).toBe(orientation)
    const { files } = (await encodeVariants(photo, 'card')) as ImageVariants
    expect(files).toHaveLength(6)
    for (const [nominal, width, height] of [
      [800, 500, 300],
      [400, 400, 240],
    ]) {
      for (const { format, bytes } of files.filter((file) => file.width === nominal)) {
        const file = Buffer.from(bytes)
        const {
          width: actualWidth,
          height: actualHeight,
          orientation: storedOrientation,
        } = await sharp(file).metadata()
        expect([actualWidth, actualHeight, storedOrientation], format).toEqual([width, height, undefined])
        const corners: [number, number][] = [
          [0.1, 0.1],
          [0.9, 0.1],
          [0.1, 0.9],
          [0.9, 0.9],
        ]
        expect(await coloursAt(file, corners), format).toEqual([
          [1, 0, 0],
          [0, 1, 0],
          [0, 0, 1],
          [1, 1, 0],
        ])
      }
    }
  },
)

test('removes the metadata of the camera from an uploaded photo', async () => {
  const { upload, readFile } = await createSite()
  const photo = await solid(900, 700)
    .withExif({ IFD0: { Artist: 'SECRET-ARTIST', Copyright: 'SECRET-RIGHT' }, IFD3: { GPSLatitude: '35/1 0/1 0/1' } })
    .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/">SECRET-XMP</x:xmpmeta>')
    .withIccProfile('p3')
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer()
  expect(photo.toString('latin1')).toMatch(/SECRET-ARTIST[\s\S]*SECRET-XMP|SECRET-XMP[\s\S]*SECRET-ARTIST/)
  const { url } = await upload(photo)
  for (const format of ['avif', 'webp', 'jpg']) {
    const file = await readFile(url.replace('jpg', format))
    expect(file.toString('latin1')).not.toContain('SECRET')
    expect(await sharp(file).metadata()).not.toHaveProperty('exif')
    expect(await sharp(file).metadata()).not.toHaveProperty('xmp')
    const { width = 0, height = 0 } = await sharp(file).metadata()
    expect(height).toBeGreaterThan(width)
  }
})

test('flattens transparency on white and converts other colour spaces to sRGB', async () => {
  const encode = async (image: Sharp) => ((await encodeVariants(await image.toBuffer(), 'card')) as ImageVariants).files
  const transparent = sharp({
    create: { width: 60, height: 60, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } },
  })
    .composite([{ input: { create: { width: 20, height: 20, channels: 4, background: '#f00' } }, left: 0, top: 0 }])
    .png()
  for (const { format, bytes } of await encode(transparent)) {
    expect(
      await coloursAt(bytes, [
        [0.1, 0.1],
        [0.9, 0.9],
      ]),
      format,
    ).toEqual([
      [1, 0, 0],
      [1, 1, 1],
    ])
    expect((await sharp(bytes).metadata()).width, 'never enlarged').toBe(60)
  }
  const encodedColour = async (image: Sharp) => {
    const jpeg = (await encode(image)).find(({ format }) => format === 'jpg')
    const { data, info } = await sharp(jpeg?.bytes).raw().toBuffer({ resolveWithObject: true })
    return [...data.subarray(0, 3)].slice(0, info.channels)
  }
  for (const value of await encodedColour(solid(30, 30, '#808080').toColourspace('b-w').jpeg()))
    expect(value).toBeCloseTo(128, -1)
  for (const value of await encodedColour(solid(30, 30, '#808080').toColourspace('rgb16').png()))
    expect(value).toBeCloseTo(128, -1)
  const [red = 0, green = 0, blue = 0] = await encodedColour(solid(30, 30, '#f00').toColourspace('cmyk').jpeg())
  expect(red).toBeGreaterThan(200)
  expect(green + blue).toBeLessThan(120)
})

test('scales an image down to the maximum size for its use', async () => {
  const { upload, readFile } = await createSite()
  const sizes = async (url: string, widths: number[]) => {
    const size = async (width: number) => {
      const file = await sharp(await readFile(url.replace(/\d+\.jpg$/, `${width}.jpg`))).metadata()
      return `${file.width}×${file.height}`
    }
    return Promise.all(widths.map(size))
  }
  // These photos are narrow, because the time for encoding depends on the number of pixels.
  const photo = await solid(1952, 122).jpeg().toBuffer()
  const wide = await upload(photo, { large: 'yes' })
  expect(wide.url).toMatch(/^\/pictures\/[0-9a-f]{32}-1920\.jpg$/)
  expect(await sizes(wide.url, [800, 1280, 1920])).toEqual(['800×50', '1280×80', '1920×120'])
  // Uploads of the same bytes for different maximum sizes create different images.
  const card = await upload(photo)
  expect(await sizes(card.url, [400, 800])).toEqual(['400×25', '800×50'])
  const high = await upload(await solid(125, 2000).jpeg().toBuffer())
  expect(await sizes(high.url, [400, 800])).toEqual(['25×400', '50×800'])
  const portrait = await upload(await solid(122, 1952).jpeg().toBuffer(), { large: 'portrait' })
  expect(portrait.url).toMatch(/^\/pictures\/[0-9a-f]{32}-1080\.jpg$/)
  expect(await sizes(portrait.url, [720, 1080])).toEqual(['80×1280', '120×1920'])
})

test.each([
  ['JPEG', (image: Sharp) => image.jpeg()],
  ['PNG', (image: Sharp) => image.png({ compressionLevel: 1 })],
] as const)('accepts a %s with 48 megapixels', async (_, convert) => {
  const image = await convert(solid(8064, 5952).toColourspace('b-w')).toBuffer()
  const { files, ...size } = (await encodeVariants(image, 'card')) as ImageVariants
  expect([size, files.length]).toEqual([{ width: 800, height: 590 }, 6])
})

let photo: Buffer
beforeAll(async () => {
  photo = await sharp(await drawFourAreas())
    .jpeg({ progressive: true })
    .toBuffer()
})
const ftyp = (brands: string) =>
  Buffer.concat([Buffer.from([0, 0, 0, 8 + brands.length]), Buffer.from(`ftyp${brands}`), Buffer.alloc(200)])

// The returned image declares more pixels in its header than the file contains. Decoding this image would return the
// error for a broken file.
async function pngWithDeclaredSize(width: number, height: number) {
  const png = await solid(14, 14).png().toBuffer()
  const header = png.indexOf('IHDR')
  png.writeUInt32BE(width, header + 4)
  png.writeUInt32BE(height, header + 8)
  png.writeUInt32BE(crc32(png.subarray(header, header + 17)), header + 17)
  return png
}
async function avifWithDeclaredSize(width: number, height: number) {
  const avif = await solid(60, 50).avif({ effort: 0 }).toBuffer()
  const size = avif.indexOf('ispe') + 8
  avif.writeUInt32BE(width, size)
  avif.writeUInt32BE(height, size + 4)
  return avif
}

const rejectedFiles = [
  ['an empty file', async () => Buffer.alloc(0), 400, '中身がありません'],
  ['HTML', async () => Buffer.from('<!doctype html><script>alert(1)</script>'), 415, '写真ではない'],
  [
    'SVG',
    async () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
    415,
    '写真ではない',
  ],
  ['PHP', async () => Buffer.from('<?php system($_GET["c"]);'), 415, '写真ではない'],
  [
    'PHP after the magic bytes of a GIF',
    async () => Buffer.from('GIF89a<?php system($_GET["c"]);'),
    400,
    '壊れています',
  ],
  ['TIFF', async () => solid(10, 10).tiff().toBuffer(), 415, '写真ではない'],
  ['a HEIC photo of an iPhone', async () => ftyp('heic\0\0\0\0mif1heic'), 415, 'JPEGで保存した写真'],
  ['an MP4 film', async () => ftyp('isom\0\0\0\0mp42'), 415, '写真ではない'],
  ['an AVIF header without an image', async () => ftyp('avif\0\0\0\0avif'), 400, '壊れています'],
  ['14,000² pixels', () => pngWithDeclaredSize(14_000, 14_000), 413, '画素が多すぎて'],
  ['an AVIF whose decoding would take 500 MB', () => avifWithDeclaredSize(6000, 5000), 413, '画素が多すぎて'],
] as const

test.each(rejectedFiles)('the encoder rejects %s', async (_, make, status, sentence) => {
  const message = expect.stringContaining(sentence)
  expect(await encodeVariants(await make(), 'card')).toEqual({ status, message })
})

test('rejects an upload with the error of the encoder, regardless of the file name and the MIME type', async () => {
  const { db, upload } = await createSite()
  for (const [kind, make, expected, sentence] of rejectedFiles) {
    if (!['an empty file', 'HTML', '14,000² pixels'].includes(kind)) continue
    const { status, success, message } = await upload(await make(), { name: '../../index.html', type: 'text/html' })
    expect([status, success], message).toEqual([expected, false])
    expect(message).toContain(sentence)
  }
  expect(await db.selectFrom('pictures').selectAll().execute()).toEqual([])
})

test('rejects truncated images', async () => {
  const { db, upload } = await createSite()
  const noise = { type: 'gaussian' as const, mean: 128, sigma: 60 }
  const noiseImage = sharp({ create: { width: 70, height: 50, channels: 3, background: '#b33', noise } })
  for (const format of ['jpeg', 'png', 'webp', 'avif', 'gif'] as const) {
    const whole = await noiseImage.clone().toFormat(format).toBuffer()
    const truncate = (share: number) => whole.subarray(0, Math.floor(whole.length * share))
    for (const share of [0.02, 0.1, 0.3, 0.5, 0.7, 0.9]) {
      const result = await encodeVariants(truncate(share), 'card')
      expect(result, `${format} ${share}`).toMatchObject({ status: expect.toBeOneOf([400, 415]) })
    }
  }
  const whole = await noiseImage.jpeg().toBuffer()
  expect((await upload(whole.subarray(0, Math.floor(whole.length * 0.9)))).status).toBe(400)
  expect(await db.selectFrom('pictures').selectAll().execute()).toEqual([])
})

test('rejects an upload with a message when the request has no image or is too large', async () => {
  const { as, db, logged } = await createSite()
  const send = async (init: RequestInit) => {
    const response = await as('administrator', '/api/upload', { method: 'POST', ...init })
    const { success, url, message } = (await response.json()) as { success: boolean; url: string; message: string }
    expect([success, url]).toEqual([false, ''])
    expect(message).toMatch(/[ぁ-ん].*。$/)
    return response.status
  }
  const form = (fields: Record<string, string>) => {
    const data = new FormData()
    for (const [name, value] of Object.entries(fields)) data.append(name, value)
    return data
  }
  const multipart = { 'content-type': 'multipart/form-data; boundary=edge' }
  expect(await send({ body: form({ picture: 'x' }) })).toBe(400)
  expect(await send({ body: form({ image: '' }) })).toBe(400)
  expect(await send({ body: 'image=x', headers: { 'content-type': 'application/x-www-form-urlencoded' } })).toBe(415)
  expect(await send({ body: '{}', headers: { 'content-type': 'application/json' } })).toBe(415)
  expect(await send({ body: '', headers: multipart })).toBe(400)
  expect(
    await send({ body: '--edge\r\ncontent-disposition: form-data; name="image"\r\n\r\ncut off', headers: multipart }),
  ).toBe(400)
  expect(await send({ body: 'x', headers: { ...multipart, 'content-length': String(26 * 1024 * 1024) } })).toBe(413)

  const sendBytes = async (bytes: number) => {
    const form = new FormData()
    form.append('image', new File([new Uint8Array(bytes)], 'photo.jpg'))
    return send({ body: form })
  }
  const max = 25 * 1024 * 1024
  expect([await sendBytes(max), await sendBytes(max + 1)]).toEqual([415, 413])

  // If the request has no content length, the site stops reading soon after the maximum.
  let sent = 0
  const endless = new ReadableStream({
    pull(controller) {
      // Ends, so that a missing limit fails the test instead of filling the disk.
      if (sent > 40 * 1024 * 1024) return controller.error(new Error('No limit'))
      sent += 1024 * 1024
      controller.enqueue(Buffer.alloc(1024 * 1024))
    },
  })
  expect(await send({ body: endless, headers: multipart, duplex: 'half' } as RequestInit)).toBe(413)
  expect(sent).toBeLessThan(30 * 1024 * 1024)
  expect(logged.filter(({ msg }) => msg === 'image upload rejected').length).toBe(10)
  expect(await db.selectFrom('pictures').selectAll().execute()).toEqual([])
})

test('stores simultaneous uploads as separate images', async () => {
  const { upload, readFile } = await createSite()
  const reds = Array.from({ length: often(3, 10) }, (_, index) => index * 24)
  const pictures = await Promise.all(reds.map((red) => solid(16, 16, `rgb(${red},0,0)`).jpeg().toBuffer()))
  const responses = await Promise.all(pictures.map((bytes) => upload(bytes)))
  expect(responses.map(({ status }) => status)).toEqual(reds.map(() => 200))
  for (const [index, { url }] of responses.entries()) {
    const [red = 0] = await sharp(await readFile(url))
      .raw()
      .toBuffer()
    expect(red).toBeCloseTo(reds[index] ?? 0, -1)
  }
})

/** Starts an upload from an IP address. The body of the upload never arrives. */
const startStalledUpload = ({ app }: Awaited<ReturnType<typeof createSite>>, ip: string) => {
  const headers = {
    'content-type': 'multipart/form-data; boundary=edge',
    'content-length': String(17 * 1024 * 1024),
    'x-test-account': 'demo-administrator',
    origin: 'http://localhost',
  }
  const init = { method: 'POST', headers, body: new ReadableStream(), duplex: 'half' }
  return app.request('http://localhost/api/upload', init, { incoming: { socket: { remoteAddress: ip } } })
}

/** Advances the fake timers until all responses have arrived. */
async function advanceUntilSettled<T>(responses: (T | Promise<T>)[]) {
  const all = Promise.all(responses)
  const advance = () => vi.advanceTimersByTimeAsync(1000).then(() => null)
  for (;;) {
    const done = await Promise.race([all, advance()])
    if (done) return done
  }
}

test('ends stalled uploads after 20 seconds without delaying other uploads', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const sample = await createSite()
  const waiting = ['192.0.2.1', '192.0.2.2', '192.0.2.3'].map((ip) => startStalledUpload(sample, ip))
  expect((await sample.upload(photo)).status).toBe(200)
  for (const response of await advanceUntilSettled(waiting)) {
    expect(response.status).toBe(408)
    expect(await response.json()).toMatchObject({
      success: false,
      message: expect.stringMatching('途中で止まりました'),
    })
  }
})

test('ends a slow upload after 20 seconds plus one second per 16 KB', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { app } = await createSite()
  const headers = {
    'content-type': 'multipart/form-data; boundary=edge',
    'content-length': String(1_600_000),
    'x-test-account': 'demo-administrator',
    origin: 'http://localhost',
  }
  let waiting = Promise.withResolvers<void>()
  const pull = async (controller: ReadableStreamDefaultController) => {
    waiting.resolve()
    await new Promise((resolve) => setTimeout(resolve, 15_000))
    controller.enqueue(Buffer.from('-'))
  }
  const body = new ReadableStream({ pull }, { highWaterMark: 0 })
  const init = { method: 'POST', headers, body, duplex: 'half' }
  const upload = Promise.resolve(app.request('http://localhost/api/upload', init))
  let hasEnded = false
  void upload.then(() => (hasEnded = true))
  await waiting.promise
  for (let second = 15; second < 120; second += 15) {
    waiting = Promise.withResolvers<void>()
    await vi.advanceTimersByTimeAsync(15_000)
    await waiting.promise
  }
  await vi.advanceTimersByTimeAsync(14_999)
  expect(hasEnded).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  expect((await upload).status).toBe(408)
})

test('limits simultaneous uploads to ten per network and twenty in total', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const sample = await createSite()
  const waiting = Array.from({ length: 10 }, (_, index) => startStalledUpload(sample, `2001:db8:1:1::${index}`))
  expect((await startStalledUpload(sample, '2001:db8:1:1::ffff')).status).toBe(429)
  expect((await sample.upload(photo)).status).toBe(200)
  for (let index = 0; index < 10; index += 1) waiting.push(startStalledUpload(sample, `192.0.2.${index}`))
  expect((await startStalledUpload(sample, '192.0.2.99')).status).toBe(503)
  expect((await advanceUntilSettled(waiting)).map(({ status }) => status)).toEqual(Array(20).fill(408))
  expect((await sample.upload(photo)).status).toBe(200)
})

test('limits an account to 200 new images per hour, but accepts repeated uploads of stored images', async () => {
  const { db, upload, clock } = await createSite()
  const now = clock.now - 60_000
  for (let n = 1; n < 200; n += 1) await countAttempt(db, 'upload', { account: 'demo-administrator', now })
  for (let attempt = 0; attempt < 2; attempt += 1) expect((await upload(photo)).status).toBe(200)
  const rejected = await upload(await solid(10, 10).png().toBuffer())
  expect(rejected).toMatchObject({ status: 429, message: expect.stringContaining('多数の写真が送信されました') })
  expect((await upload(photo)).status).toBe(200)
  // Each account has its own limit.
  const author = { accountId: 'demo-approved', at: new Date(clock.now).toISOString() }
  expect(await storeImage(db, await solid(9, 9).png().toBuffer(), 'card', author)).toEqual(expect.any(String))
  // An upload of a stored image makes the account the owner of the image.
  expect(await storeImage(db, photo, 'card', author)).toEqual(expect.any(String))
  const ownImages = db.selectFrom('pictures').select('uploadedAt').where('accountId', '=', author.accountId)
  expect(await ownImages.execute()).toEqual([{ uploadedAt: author.at }, { uploadedAt: author.at }])
  clock.now += 60 * 60_000
  expect((await upload(await solid(10, 10).png().toBuffer())).status).toBe(200)
})
