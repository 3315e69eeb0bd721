import sharp from 'sharp'
import { expect, test } from 'vitest'
import { digestOf, type Logo, logoOf } from '../../app/settings/logo.server.ts'
import { logoImages, logoImageUrl } from '../../app/settings/logo-image.ts'
import { readSiteToEdit } from '../../app/settings/site.server.ts'
import { SiteSettings } from '../../app/settings/site.ts'
import { type PaletteName, paletteNames, palettes } from '../../app/ui/palettes.ts'
import { freshSqlite, onEachEngine } from '../../db/testing.ts'
import { sampleSite } from '../testing.ts'
import { sectionOfSite } from '../testing-forms.ts'
import { drawLogo } from './draw-logo.ts'
import type { DrawLogo } from './logo-images.ts'

type Given = { drawLogo?: DrawLogo }

async function shop(db: Parameters<typeof sampleSite>[0], given: Given = {}) {
  const made = await sampleSite(db, {}, given)
  await made.people()
  const save = async (fields: Record<string, string>) => {
    const sent = sectionOfSite(await readSiteToEdit(made.db), fields)
    expect((await made.post('administrator', '/site', sent)).status).toBe(200)
  }
  /** Where the pictures are, as a page says it. */
  const named = async () => {
    // This page has no picture of its own.
    const html = await made.text('/access')
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
  return { ...made, save, named }
}

/** In place of a drawing: each picture says of which seal it is. */
const told: DrawLogo = async (seal) =>
  Object.fromEntries(logoImages.map((picture) => [picture, Buffer.from(JSON.stringify(seal))])) as never

onEachEngine((fresh) => {
  test('a page names pictures of its shop’s seal; another seal, name or palette has other addresses', async () => {
    const { save, named, get } = await shop(await fresh(), { drawLogo: told })
    const seen = new Set<string>()
    const characters: string[] = []
    for (const [field, value] of [[], ['seal', '暖'], ['name', '食事処 むすび'], ['palette', 'ai'], ['seal', '']]) {
      await save(field ? { [field]: value ?? '' } : {})
      const { icon, touch, share, twitter, forSearch } = await named()
      const folder = /^\/seal\/[0-9a-f]{16}\//.exec(icon)?.[0] ?? 'none'
      const files = ['icon-32.png', 'icon-180.png', 'share.jpg', 'share.jpg', 'share.jpg']
      expect([icon, touch, share, twitter, forSearch]).toEqual(files.map((file) => `${folder}${file}`))
      seen.add(folder)
      characters.push((await (await get(icon)).json()).characters)
    }
    // Without a seal it is what the name begins with.
    expect(characters).toEqual(['結', '暖', '暖', '暖', '食'])
    expect(seen.size).toBe(5)
    await save({ description: '別の紹介' })
    expect(seen).toContain(/^\/seal\/\w+\//.exec((await named()).icon)?.[0])
  })

  test('an address of before leads to where the picture is now, for none longer than it is so', async () => {
    const { save, named, get } = await shop(await fresh(), { drawLogo: told })
    const before = await named()
    await save({ seal: '暖' })
    const now = await named()
    expect(now.icon).not.toBe(before.icon)
    for (const [old, present] of [
      [before.icon, now.icon],
      [before.share, now.share],
      ['/favicon.ico', now.icon],
      [logoImageUrl('0'.repeat(16), 'icon-180.png'), now.touch],
    ] as const) {
      const { status, headers } = await get(old)
      expect([status, headers.get('location'), headers.get('cache-control')], old).toEqual([302, present, 'no-cache'])
    }
    await save({ seal: '結' })
    expect((await get(before.icon)).status).toBe(200)
    expect((await get(now.icon)).headers.get('location')).toBe(before.icon)
  })
})

test('nobody can have anything else drawn', async () => {
  let drawn = 0
  const drawing: DrawLogo = (seal) => {
    drawn += 1
    return told(seal)
  }
  const { named, get } = await shop(await freshSqlite(), { drawLogo: drawing })
  const { icon } = await named()
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

test('they are drawn once, however many ask at once, and only those of the seal now are held', async () => {
  const drawn: string[] = []
  const gate = Promise.withResolvers<void>()
  const drawing: DrawLogo = async (seal) => {
    drawn.push(seal.characters)
    await gate.promise
    return told(seal)
  }
  const { save, named, get } = await shop(await freshSqlite(), { drawLogo: drawing })
  const { icon, share } = await named()
  const asked = [icon, share, icon, icon].map((path) => get(path))
  expect((await get('/dining')).status).toBe(200)
  gate.resolve()
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 200, 200, 200])
  expect(drawn).toEqual(['結'])
  for (const seal of ['一', '二', '結']) {
    await save({ seal })
    const { icon } = await named()
    await get(icon)
    await get(icon)
  }
  // The first was not kept beside the others.
  expect(drawn).toEqual(['結', '一', '二', '結'])
})

test('where drawing fails that is told and logged, and the next who asks has it tried again', async () => {
  let fails = true
  const drawing: DrawLogo = async (seal) => {
    if (fails) throw new Error('no font')
    return told(seal)
  }
  const { named, get, logged } = await shop(await freshSqlite(), { drawLogo: drawing })
  const { icon } = await named()
  const refused = await get(icon)
  expect([refused.status, refused.headers.get('cache-control')]).toEqual([503, 'no-store'])
  expect(await refused.text()).toContain('ただいま画像を作成できません')
  expect(logged).toContainEqual(expect.objectContaining({ msg: 'seal not drawn', level: 50 }))
  fails = false
  expect((await get(icon)).status).toBe(200)
})

test('the site draws them by itself, as browsers, phones and those who follow a link want them', async () => {
  const { get, named } = await shop(await freshSqlite())
  const { icon, share, theme, html } = await named()
  const [, , digest = ''] = icon.split('/')
  for (const name of ['icon-32', 'icon-180', 'icon-192', 'icon-512', 'maskable-192', 'maskable-512']) {
    const side = Number(name.split('-')[1])
    const answer = await get(`/seal/${digest}/${name}.png`)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    })
    const drawn = await sharp(await answer.arrayBuffer()).metadata()
    expect(drawn, name).toMatchObject({ format: 'png', width: side, height: side })
  }
  const picture = await get(share)
  expect(picture.headers.get('content-type')).toBe('image/jpeg')
  const bytes = await picture.arrayBuffer()
  expect(await sharp(bytes).metadata()).toMatchObject({ format: 'jpeg', width: 1200, height: 630 })
  // What some messengers show no more of.
  expect(bytes.byteLength).toBeLessThan(300_000)
  for (const [property, content] of Object.entries({ width: '1200', height: '630', alt: 'ダイニング結' }))
    expect(html).toContain(`<meta property="og:image:${property}" content="${content}"/>`)
  expect(theme).toBe('#f6f1e7')

  const head = await get(share, { method: 'HEAD' })
  expect([head.status, head.headers.get('content-type')]).toEqual([200, 'image/jpeg'])
  expect((await head.arrayBuffer()).byteLength).toBe(0)
})

test('the manifest names them, and its colours are those of the palette', async () => {
  const { get, named, save } = await shop(await freshSqlite(), { drawLogo: told })
  await save({ palette: 'budou' })
  const [, , digest] = (await named()).icon.split('/')
  const manifest = await (await get('/manifest.webmanifest')).json()
  expect(manifest).toMatchObject({ background_color: '#f5f1ef', theme_color: '#f5f1ef' })
  expect(manifest.icons).toEqual([
    { src: `/seal/${digest}/icon-192.png`, sizes: '192x192', type: 'image/png', purpose: 'any' },
    { src: `/seal/${digest}/icon-512.png`, sizes: '512x512', type: 'image/png', purpose: 'any' },
    { src: `/seal/${digest}/maskable-192.png`, sizes: '192x192', type: 'image/png', purpose: 'maskable' },
    { src: `/seal/${digest}/maskable-512.png`, sizes: '512x512', type: 'image/png', purpose: 'maskable' },
  ])
  for (const { src } of manifest.icons) expect((await get(src)).status).toBe(200)
  expect((await named()).theme).toBe('#f5f1ef')
})

// Two emoji, a family, half of a character, a bell, markup, a mark without its letter, nothing at all.
const hostile = [
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

test.each(hostile.map((text) => [JSON.stringify(text), text]))(
  'a seal of %s is drawn, within its frame',
  async (_, seal) => {
    const drawn = await draw({ seal, name: seal.trim() || '🍜' })
    const marks = await inkOf(drawn['maskable-192.png'])
    // Either a character or, where there is none to draw, a curtain.
    expect(marks.length).toBeGreaterThan(100)
    expect(marks.filter(({ x, y }) => Math.hypot(x - 95.5, y - 95.5) >= 0.4 * 192)).toEqual([])
    expect(await pixelOf(drawn['maskable-192.png'])).toBe('#983a25ff')
    expect(await sharp(drawn['share.jpg']).metadata()).toMatchObject({ width: 1200, height: 630 })
  },
)

test('what cannot be drawn is a curtain, and what can be is not', async () => {
  const curtain = await draw({ seal: '🍜🍣', name: '店' })
  for (const seal of ['\ud800', '\u0007', '👨‍👩‍👧'])
    expect((await draw({ seal, name: '店' }))['icon-192.png'], seal).toEqual(curtain['icon-192.png'])
  const character = await draw({ seal: '結', name: '店' })
  expect(character['icon-192.png']).not.toEqual(curtain['icon-192.png'])
  // What goes beside it is left out.
  expect((await draw({ seal: '結🍜', name: '店' }))['icon-192.png']).toEqual(character['icon-192.png'])
})

test('a name is written whole, however long, and what is not in the font is left out of it', async () => {
  const of = async (name: string) => (await draw({ seal: '結', name }))['share.jpg']
  const long = 'あ'.repeat(40)
  const below = async (name: string) => (await inkOf(await of(name), { dark: true })).filter(({ y }) => y > 400)
  for (const name of [long, 'M'.repeat(40), '結', 'The Long Name of a Shop & Bar, Kyoto 1234'])
    expect((await below(name)).filter(({ x }) => x <= 90 || x >= 1110)).toEqual([])
  expect((await below(long)).length).toBeGreaterThan(1000)
  // Between two words, in two lines.
  const rows = new Set((await below('食事処むすび 祇園四条通りの東店')).map(({ y }) => y))
  const gaps = [...rows].filter((y) => !rows.has(y + 1))
  expect(gaps.length).toBeGreaterThan(1)
  expect(await of('🍜食堂<b>')).toEqual(await of('食堂<b>'))
  expect((await below('🍜')).length).toBe(0)
})

test.each(paletteNames)('in %s they have its colour', async (palette) => {
  const drawn = await draw({ seal: '結', name: '結', palette })
  const colour = `${palettes[palette].iro}ff`
  expect([await pixelOf(drawn['icon-512.png'], 256, 40), await pixelOf(drawn['icon-180.png'])]).toEqual([
    colour,
    colour,
  ])
})

test('the corners of an icon are round, but a phone rounds its own', async () => {
  const drawn = await draw({ seal: '結', name: '結' })
  expect(await pixelOf(drawn['icon-192.png'])).toMatch(/00$/)
  for (const square of ['icon-180.png', 'maskable-512.png'] as const)
    expect(await pixelOf(drawn[square]), square).toMatch(/ff$/)
})

function draw({ palette = 'shu', ...facts }: { seal: string; name: string; palette?: PaletteName }) {
  const seal: Logo = logoOf({ ...SiteSettings.parse({}), ...facts, palette })
  expect(digestOf(seal)).toMatch(/^[0-9a-f]{16}$/)
  return drawLogo(seal)
}

/** The colour of a pixel, and how opaque it is, as #rrggbbaa. */
async function pixelOf(picture: Uint8Array, left = 0, top = 0) {
  const pixel = sharp(picture).ensureAlpha().extract({ left, top, width: 1, height: 1 })
  return `#${(await pixel.raw().toBuffer()).toString('hex')}`
}

/** The pixels of a picture that are light, or dark. */
async function inkOf(picture: Uint8Array, { dark = false } = {}) {
  const { data, info } = await sharp(picture).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  const marks: { x: number; y: number }[] = []
  for (let at = 0; at < data.length; at += 3) {
    const [r = 0, g = 0, b = 0] = [data[at], data[at + 1], data[at + 2]]
    if (dark ? Math.max(r, g, b) >= 80 : Math.min(r, g, b) <= 150) continue
    marks.push({ x: (at / 3) % info.width, y: Math.floor(at / 3 / info.width) })
  }
  return marks
}
