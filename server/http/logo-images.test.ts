import sharp, { type Sharp } from 'sharp'
import { expect, test } from 'vitest'
import { digestOf, type Logo, logoOf } from '../../app/settings/logo.server.ts'
import { logoImageUrl } from '../../app/settings/logo-image.ts'
import { readSiteToEdit } from '../../app/settings/site.server.ts'
import { SiteSettings } from '../../app/settings/site.ts'
import { type PaletteName, paletteNames, palettes } from '../../app/ui/palettes.ts'
import { freshSqlite, onEachEngine } from '../../db/testing.ts'
import { backgroundWork } from '../dependencies.ts'
import { drawAsJson, sampleSite } from '../testing.ts'
import { sectionOfSite } from '../testing-forms.ts'
import { renderIcon, renderSharePreview } from './draw-logo.ts'
import type { DrawLogo } from './logo-images.ts'

type ShopOptions = { drawLogo?: DrawLogo }

async function shop(db: Parameters<typeof sampleSite>[0], options: ShopOptions = {}) {
  const sampleShop = await sampleSite(db, {}, options)
  await sampleShop.people()
  const save = async (fields: Record<string, string>) => {
    const sent = sectionOfSite(await readSiteToEdit(sampleShop.db), fields)
    expect((await sampleShop.post('administrator', '/site', sent)).status).toBe(200)
  }
  /** Returns the image URLs in the head of a page. */
  const readImageUrls = async () => {
    // This page has no image of its own, so that the logo is its preview.
    const html = await sampleShop.text('/access')
    const found = (pattern: RegExp) => pattern.exec(html)?.[1] ?? ''
    return {
      icon: found(/<link rel="icon" href="([^"]+)"/),
      touch: found(/<link rel="apple-touch-icon" href="([^"]+)"/),
      share: found(/<meta property="og:image" content="http:\/\/localhost([^"]+)"/),
      twitter: found(/<meta name="twitter:image" content="http:\/\/localhost([^"]+)"/),
      forSearch: found(/"image":"http:\/\/localhost([^"]+)"/),
      theme: found(/<meta name="theme-color" content="([^"]+)"/),
      html,
    }
  }
  return { ...sampleShop, save, readImageUrls }
}

onEachEngine((fresh) => {
  test('changes the image URLs on a page when the logo, the name or the palette changes', async () => {
    const { save, readImageUrls, get } = await shop(await fresh())
    const seen = new Set<string>()
    const characters: string[] = []
    for (const [field, value] of [[], ['seal', '暖'], ['name', '食事処 むすび'], ['palette', 'ai'], ['seal', '']]) {
      await save(field ? { [field]: value ?? '' } : {})
      const { icon, touch, share, twitter, forSearch } = await readImageUrls()
      const folder = /^\/seal\/[0-9a-f]{16}\//.exec(icon)?.[0] ?? 'none'
      const files = ['icon-32.png', 'icon-180.png', 'share.jpg', 'share.jpg', 'share.jpg']
      expect([icon, touch, share, twitter, forSearch]).toEqual(files.map((file) => `${folder}${file}`))
      seen.add(folder)
      characters.push((await (await get(icon)).json()).characters)
    }
    // Without a logo text, the first character of the name is used.
    expect(characters).toEqual(['結', '暖', '暖', '暖', '食'])
    expect(seen.size).toBe(5)
    await save({ description: '別の紹介' })
    expect(seen).toContain(/^\/seal\/\w+\//.exec((await readImageUrls()).icon)?.[0])
  })

  test('redirects URLs of earlier logos to the current image without caching the redirect', async () => {
    const { save, readImageUrls, get } = await shop(await fresh())
    const before = await readImageUrls()
    await save({ seal: '暖' })
    const current = await readImageUrls()
    expect(current.icon).not.toBe(before.icon)
    for (const [path, target] of [
      [before.icon, current.icon],
      [before.share, current.share],
      ['/favicon.ico', current.icon],
      [logoImageUrl('0'.repeat(16), 'icon-180.png'), current.touch],
    ] as const) {
      const { status, headers } = await get(path)
      expect([status, headers.get('location'), headers.get('cache-control')], path).toEqual([302, target, 'no-cache'])
    }
    await save({ seal: '結' })
    expect((await get(before.icon)).status).toBe(200)
    expect((await get(current.icon)).headers.get('location')).toBe(before.icon)
  })
})

test('returns 404 without drawing when the URL is not that of a logo image', async () => {
  let drawn = 0
  const fakeDraw: DrawLogo = (logo) => {
    drawn += 1
    return drawAsJson(logo)
  }
  const { readImageUrls, get } = await shop(await freshSqlite(), { drawLogo: fakeDraw })
  const { icon } = await readImageUrls()
  const [, , digest = ''] = icon.split('/')
  for (const path of [
    `/seal/${digest}/icon-64.png`,
    `/seal/${digest}/share.png`,
    `/seal/${digest}/toString`,
    `/seal/${digest.toUpperCase()}x/icon-32.png`,
    `/seal/${digest}0/icon-32.png`,
    '/seal/%E7%B5%90/icon-32.png',
    `/seal/${digest}`,
    `/seal/${digest}/icon-32.png/more`,
  ])
    expect((await get(path)).status, path).toBe(404)
  expect(drawn).toBe(0)
})

test('draws the images once for concurrent requests, and caches only the current logo', async () => {
  const drawn: string[] = []
  const released = Promise.withResolvers<void>()
  const fakeDraw: DrawLogo = async (logo) => {
    drawn.push(logo.characters)
    await released.promise
    return drawAsJson(logo)
  }
  const { save, readImageUrls, get } = await shop(await freshSqlite(), { drawLogo: fakeDraw })
  const { icon, share } = await readImageUrls()
  const responses = [icon, share, icon, icon].map((path) => get(path))
  expect((await get('/dining')).status).toBe(200)
  released.resolve()
  expect((await Promise.all(responses)).map(({ status }) => status)).toEqual([200, 200, 200, 200])
  expect(drawn).toEqual(['結'])
  for (const logo of ['一', '二', '結']) {
    await save({ seal: logo })
    const { icon } = await readImageUrls()
    await get(icon)
    await get(icon)
  }
  // The images of the first logo are no longer cached.
  expect(drawn).toEqual(['結', '一', '二', '結'])
})

test('returns 503 and logs the error when drawing fails, and retries at the next request', async () => {
  let fails = true
  const fakeDraw: DrawLogo = async (logo) => {
    if (fails) throw new Error('no font')
    return drawAsJson(logo)
  }
  const { readImageUrls, get, logged } = await shop(await freshSqlite(), { drawLogo: fakeDraw })
  const { icon } = await readImageUrls()
  const refused = await get(icon)
  expect([refused.status, refused.headers.get('cache-control')]).toEqual([503, 'no-store'])
  expect(await refused.text()).toContain('ただいま画像を作成できません')
  expect(logged).toContainEqual(expect.objectContaining({ msg: 'logo not drawn', level: 50 }))
  fails = false
  expect((await get(icon)).status).toBe(200)
})

test('draws icons and the link preview in the expected formats, sizes and shapes', async () => {
  const { get, readImageUrls } = await shop(await freshSqlite(), backgroundWork)
  const { icon, share, theme, html } = await readImageUrls()
  const [, , digest = ''] = icon.split('/')
  for (const name of ['icon-32', 'icon-180', 'icon-192', 'icon-512', 'maskable-192', 'maskable-512']) {
    const side = Number(name.split('-')[1])
    const response = await get(`/seal/${digest}/${name}.png`)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    })
    const image = sharp(await response.arrayBuffer())
    expect(await image.metadata(), name).toMatchObject({ format: 'png', width: side, height: side })
    // Browsers display the icon as it is, whereas phones round it.
    const isRounded = name.startsWith('icon') && name !== 'icon-180'
    expect(await pixelOf(image), name).toMatch(isRounded ? /00$/ : /ff$/)
  }
  const sharedImage = await get(share)
  expect(sharedImage.headers.get('content-type')).toBe('image/jpeg')
  const bytes = await sharedImage.arrayBuffer()
  expect(await sharp(bytes).metadata()).toMatchObject({ format: 'jpeg', width: 1200, height: 630 })
  // Some messengers ignore previews over 300 KB.
  expect(bytes.byteLength).toBeLessThan(300_000)
  for (const [property, content] of Object.entries({ width: '1200', height: '630', alt: 'ダイニング結' }))
    expect(html).toContain(`<meta property="og:image:${property}" content="${content}"/>`)
  expect(theme).toBe('#f6f1e7')

  const head = await get(share, { method: 'HEAD' })
  expect([head.status, head.headers.get('content-type')]).toEqual([200, 'image/jpeg'])
  expect((await head.arrayBuffer()).byteLength).toBe(0)
})

test('lists the icons in the web manifest with the colours of the palette', async () => {
  const { get, readImageUrls, save } = await shop(await freshSqlite())
  await save({ palette: 'budou' })
  const [, , digest] = (await readImageUrls()).icon.split('/')
  const manifest = await (await get('/manifest.webmanifest')).json()
  expect(manifest).toMatchObject({ background_color: '#f5f1ef', theme_color: '#f5f1ef' })
  expect(manifest.icons).toEqual([
    { src: `/seal/${digest}/icon-192.png`, sizes: '192x192', type: 'image/png', purpose: 'any' },
    { src: `/seal/${digest}/icon-512.png`, sizes: '512x512', type: 'image/png', purpose: 'any' },
    { src: `/seal/${digest}/maskable-192.png`, sizes: '192x192', type: 'image/png', purpose: 'maskable' },
    { src: `/seal/${digest}/maskable-512.png`, sizes: '512x512', type: 'image/png', purpose: 'maskable' },
  ])
  for (const { src } of manifest.icons) expect((await get(src)).status).toBe(200)
  expect((await readImageUrls()).theme).toBe('#f5f1ef')
})

// Texts with markup, emoji, lone surrogates, control characters or a lone combining mark, and the empty text.
const unusualTexts = [
  '結',
  '結び',
  'AB',
  '<>',
  '"/',
  '&a',
  '🍜🍣',
  '👨‍👩‍👧',
  '\ud800',
  '結\udfff',
  '\u0007\u0000',
  '\u0301',
  '\u202e結',
  '',
]

test.each(unusualTexts.map((text) => [JSON.stringify(text), text]))(
  'draws the logo %s within the safe area of a maskable icon',
  async (_, logo) => {
    const facts = { seal: logo, name: logo.trim() || '🍜' }
    const icon = rasterize(renderIcon(createLogo(facts), 'maskable'), 96)
    const pixels = await inkOf(icon)
    // The icon shows a character, or the curtain if no character can be drawn.
    expect(pixels.length).toBeGreaterThan(25)
    expect(pixels.filter(({ x, y }) => Math.hypot(x - 47.5, y - 47.5) >= 0.4 * 96)).toEqual([])
    expect(await pixelOf(icon)).toBe('#983a25ff')
    const preview = rasterize(renderSharePreview(createLogo(facts)), 300)
    expect((await preview.toBuffer({ resolveWithObject: true })).info).toMatchObject({ width: 300, height: 158 })
  },
)

test('draws a curtain when the font has no glyph of the logo text', () => {
  const draw = (seal: string) => renderIcon(createLogo({ seal, name: '店' }), 'rounded')
  const curtain = draw('🍜🍣')
  for (const logo of ['\ud800', '\u0007', '👨‍👩‍👧']) expect(draw(logo), logo).toBe(curtain)
  const character = draw('結')
  expect(character).not.toBe(curtain)
  // An emoji beside a character is left out.
  expect(draw('結🍜')).toBe(character)
})

test('fits a long name into the preview, and leaves out characters that the font does not have', async () => {
  const preview = (name: string) => renderSharePreview(createLogo({ seal: '結', name }))
  const long = 'あ'.repeat(40)
  const pixelsOfName = async (name: string) =>
    (await inkOf(rasterize(preview(name), 600), { dark: true })).filter(({ y }) => y > 200)
  for (const name of [long, 'M'.repeat(40), '結', 'The Long Name of a Shop & Bar, Kyoto 1234']) {
    const pixels = await pixelsOfName(name)
    expect(pixels.length, name).toBeGreaterThan(name === long ? 250 : 0)
    expect(pixels.filter(({ x }) => x <= 45 || x >= 555)).toEqual([])
  }
  // The name is broken between two words into two lines.
  const rows = new Set((await pixelsOfName('食事処むすび 祇園四条通りの東店')).map(({ y }) => y))
  const gaps = [...rows].filter((y) => !rows.has(y + 1))
  expect(gaps.length).toBeGreaterThan(1)
  expect(preview('🍜食堂<b>')).toBe(preview('食堂<b>'))
  expect((await pixelsOfName('🍜')).length).toBe(0)
})

test.each(paletteNames)('draws the icons in the colour of the palette %s', async (palette) => {
  const logo = createLogo({ seal: '結', name: '結', palette })
  const colour = `${palettes[palette].iro}ff`
  expect([
    await pixelOf(rasterize(renderIcon(logo, 'rounded'), 64), 32, 5),
    await pixelOf(rasterize(renderIcon(logo, 'full bleed'), 64)),
  ]).toEqual([colour, colour])
})

function createLogo({ palette = 'shu', ...facts }: { seal: string; name: string; palette?: PaletteName }) {
  const logo: Logo = logoOf({ ...SiteSettings.parse({}), ...facts, palette })
  expect(digestOf(logo)).toMatch(/^[0-9a-f]{16}$/)
  return logo
}

/** Draws an SVG at a smaller width in pixels, because an image of full size takes a hundred times as long. */
function rasterize(svg: string, width: number) {
  const [, fullWidth] = /^<svg[^>]* width="(\d+)"/.exec(svg) ?? []
  return sharp(Buffer.from(svg), { density: (72 * width) / Number(fullWidth) }).resize(width)
}

/** Returns the colour and opacity of a pixel as #rrggbbaa. */
async function pixelOf(image: Sharp, x = 0, y = 0) {
  const { data, info } = await image.clone().ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  const offset = (y * info.width + x) * 4
  return `#${data.subarray(offset, offset + 4).toString('hex')}`
}

/** Returns the light or the dark pixels of an image. */
async function inkOf(image: Sharp, { dark = false } = {}) {
  const { data, info } = await image.clone().removeAlpha().raw().toBuffer({ resolveWithObject: true })
  const pixels: { x: number; y: number }[] = []
  for (let offset = 0; offset < data.length; offset += 3) {
    const [r = 0, g = 0, b = 0] = [data[offset], data[offset + 1], data[offset + 2]]
    if (dark ? Math.max(r, g, b) >= 80 : Math.min(r, g, b) <= 150) continue
    pixels.push({ x: (offset / 3) % info.width, y: Math.floor(offset / 3 / info.width) })
  }
  return pixels
}
