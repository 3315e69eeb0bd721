import { globSync, readFileSync } from 'node:fs'
import postcss from 'postcss'
import { describe, expect, test } from 'vitest'
import { paletteNames, palettes } from './palettes.ts'

const read = (file: string) => postcss.parse(readFileSync(file, 'utf8'))

/** The tokens that a rule of a stylesheet sets, by the last of its selectors. */
function tokensOf(file: string, selector: string): Record<string, string> {
  const found: [token: string, value: string][] = []
  read(file).walkRules((rule) => {
    if (rule.selectors.at(-1) !== selector) return
    rule.walkDecls(/^--/, ({ prop, value }) => void found.push([prop.slice(2), value]))
  })
  return Object.fromEntries(found)
}

const ordinary = tokensOf('app/ui/site.css', ':root')
const night = tokensOf('app/ui/site.css', '[data-surroundings="night"]')

test.each(paletteNames)('%s has the same colours for the stylesheet as for everything else', (name) => {
  const { name: _, ...tokens } = palettes[name]
  expect(tokensOf('app/ui/palettes.css', `[data-palette="${name}"]`)).toEqual(tokens)
})

test('a page that says nothing is in the first palette', () => {
  const [first] = read('app/ui/palettes.css').nodes.filter((node) => node.type === 'rule')
  expect(first?.selectors).toEqual([':root', '[data-palette="shu"]'])
})

// Each ink with the grounds that it stands on, as the CSS modules have them. `page`, `text` and `quiet` are what the
// surroundings make of them; a colour beside the tokens is one of a single rule.
const texts: Record<string, string[]> = {
  text: ['page'],
  quiet: ['page'],
  page: ['text'],
  sumi: ['kinari', 'washi', 'washi-2', 'stripe', 'stripe-2', 'touched', '#ffffff'],
  nezumi: ['kinari', 'washi', 'washi-2', 'stripe', 'stripe-2'],
  bengara: ['kinari', 'washi', 'washi-2', 'stripe', 'stripe-2', 'touched'],
  ai: ['kinari', 'washi', 'washi-2', 'stripe', 'stripe-2', 'touched'],
  matcha: ['kinari', 'washi'],
  iro: ['kinari'],
  'iro-deep': ['kinari', 'washi'],
  yoru: ['washi'],
  kinari: ['sumi'],
  washi: ['yoru'],
  '#ffffff': ['iro', 'iro-deep', 'ai', 'matcha', 'yoru', '#16304a', '#10141b'],
  '#4a5629': ['kinari', 'touched', 'stripe', 'stripe-2'],
  '#575149': ['stripe', 'stripe-2', 'touched'],
  '#3c3833': ['kinari'],
  '#7a4f00': ['kinari', 'washi'],
}

// What is seen but not read: the frame of today, what is chosen, the border of a field, a pencil.
const marks: Record<string, string[]> = {
  iro: ['kinari', 'washi', 'washi-2', 'touched', 'stripe'],
  bengara: ['#ffffff', 'kinari'],
  ai: ['kinari', 'washi'],
  matcha: ['kinari', 'washi'],
  nezumi: ['kinari', 'washi'],
  '#8f8471': ['#ffffff', 'kinari', 'washi'],
  '#8d8577': ['kinari', 'washi'],
}

// What the ring of the focus lies on, and what its inside touches: paper with what is filled on it, or what is dark.
const rings: Record<string, { grounds: string[]; touched: string[] }> = {
  paper: {
    grounds: ['kinari', 'washi', 'washi-2', 'stripe', 'stripe-2', 'touched', '#ffffff'],
    touched: ['iro', 'iro-deep', 'sumi', 'nezumi', 'ai', 'matcha', '#16304a'],
  },
  night: { grounds: ['yoru', '#10141b'], touched: ['kinari', 'washi', '#ffffff'] },
}

// What lies on pictures and films, and says its own colours.
const onPictures = [
  ['app/ui/site.css', ':root'],
  ['app/ui/pause-button.module.css', '.button'],
  ['app/shop/story-slideshow.module.css', '.slideshow'],
  ['app/media/youtube.module.css', '.player'],
  ['app/chrome/site-header.module.css', '[data-surroundings="hero"] .header'],
].map(([file = '', selector = '']) => {
  const { ring, 'ring-inside': inside } = tokensOf(file, selector)
  return { ring: named(ring), inside: named(inside) }
})

describe.each(paletteNames)('in %s', (name) => {
  describe.each(Object.entries({ paper: ordinary, night: { ...ordinary, ...night } }))('on %s', (on, surroundings) => {
    const tokens: Record<string, string> = { ...surroundings, ...palettes[name] }
    const colour = (token: string): string => {
      const value = token.startsWith('#') ? token : (tokens[token] ?? '')
      const [, other] = /^var\(--(.+)\)$/.exec(value) ?? []
      return other ? colour(other) : value
    }
    const found = (pairs: Record<string, string[]>, least: number) =>
      Object.entries(pairs).flatMap(([ink, grounds]) =>
        grounds
          .map((ground) => ({ pair: `${ink} on ${ground}`, contrast: contrast(colour(ink), colour(ground)) }))
          .filter(({ contrast }) => !(contrast >= least)),
      )

    test('every text can be read (WCAG 2.2, 1.4.3)', () => {
      expect(found(texts, 4.5)).toEqual([])
    })

    test('every mark can be seen (WCAG 2.2, 1.4.11)', () => {
      expect(found(marks, 3)).toEqual([])
    })

    test('what has the focus is seen on its ground, and beside what it is around', () => {
      const { grounds = [], touched = [] } = rings[on] ?? {}
      expect(found({ ring: [...grounds, 'ring-inside'], 'ring-inside': touched }, 3)).toEqual([])
    })

    test('what has the focus is seen on any picture', () => {
      const greys = Array.from({ length: 256 }, (_, grey) => `#${grey.toString(16).padStart(2, '0').repeat(3)}`)
      for (const { ring = '', inside = '' } of onPictures) {
        const tones = [colour(ring), colour(inside)]
        expect(greys.filter((grey) => !tones.some((tone) => contrast(tone, grey) >= 3))).toEqual([])
      }
    })
  })
})

// A line between two steps, and an arrow that leads nowhere now: nothing need be seen of them.
const ornaments = ['#b9ad97', '#b8ad99']

test('no stylesheet writes with an ink, or on a ground, that is not measured here', () => {
  const inks = new Set([...Object.keys(texts), ...Object.keys(marks)])
  const grounds = new Set([...Object.values(texts).flat(), ...Object.keys(marks)])
  const unmeasured: string[] = []
  for (const file of globSync('app/**/*.css'))
    read(file).walkDecls(/^(?:color|background|background-color)$/, ({ prop, value }) => {
      const known = prop === 'color' ? inks : grounds
      const [, token] = /^var\(--([\w-]+)\)$/.exec(value) ?? []
      const [plain] = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/.exec(value) ?? []
      const name = token ?? (plain?.length === 4 ? plain.replaceAll(/\w/g, '$&$&') : plain)
      if (name && name !== '#000000' && !ornaments.includes(name) && !known.has(name))
        unmeasured.push(`${file}: ${prop}: ${value}`)
    })
  expect(unmeasured).toEqual([])
})

test('whatever is outlined is so in the colours of the ring', () => {
  const others: string[] = []
  for (const file of globSync('app/**/*.css'))
    read(file).walkDecls(/^outline(?:-color)?$/, ({ prop, value }) => {
      if (!/var\(--ring\)$|^none$/.test(value)) others.push(`${file}: ${prop}: ${value}`)
    })
  expect(others).toEqual([])
})

/** The token that a value names. */
function named(value = '') {
  return /^var\(--([\w-]+)\)$/.exec(value)?.[1]
}

/** The contrast of two colours as #rrggbb (WCAG 2.2). */
function contrast(one: string, other: string) {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminance(colour: string) {
  const [red = Number.NaN, green = Number.NaN, blue = Number.NaN] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
