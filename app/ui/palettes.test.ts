import { globSync, readFileSync } from 'node:fs'
import postcss from 'postcss'
import { describe, expect, test } from 'vitest'
import { paletteNames, palettes } from './palettes.ts'

const parseCss = (file: string) => postcss.parse(readFileSync(file, 'utf8'))

/** Returns the tokens that a stylesheet sets in rules whose last selector is `selector`. */
function tokensOf(file: string, selector: string): Record<string, string> {
  const tokens: [token: string, value: string][] = []
  parseCss(file).walkRules((rule) => {
    if (rule.selectors.at(-1) !== selector) return
    rule.walkDecls(/^--/, ({ prop, value }) => void tokens.push([prop.slice(2), value]))
  })
  return Object.fromEntries(tokens)
}

const paperTokens = tokensOf('app/ui/site.css', ':root')
const nightTokens = tokensOf('app/ui/site.css', '[data-surroundings="night"]')
const paletteTokens = (name: string) => tokensOf('app/ui/palettes.css', `[data-palette="${name}"]`)

test.each(paletteNames)('defines the colours of the palette %s equally in CSS and in TypeScript', (name) => {
  const { name: _, ...colours } = palettes[name]
  expect(paletteTokens(name)).toMatchObject(colours)
})

test('uses the first palette when a page selects no palette', () => {
  const [first] = parseCss('app/ui/palettes.css').nodes.filter((node) => node.type === 'rule')
  expect(first?.selectors).toEqual([':root', '[data-palette="shu"]'])
})

// Text colours with their backgrounds in the CSS modules. The values of `page`, `text` and `quiet` depend on the page,
// light or dark. A hexadecimal colour belongs to a single rule.
const textBackgrounds: Record<string, string[]> = {
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

// Graphics without text: the frame of today, a selection, the border of a field, an edit link.
const graphicBackgrounds: Record<string, string[]> = {
  iro: ['kinari', 'washi', 'washi-2', 'touched', 'stripe'],
  bengara: ['#ffffff', 'kinari'],
  ai: ['kinari', 'washi'],
  matcha: ['kinari', 'washi'],
  nezumi: ['kinari', 'washi'],
  '#8f8471': ['#ffffff', 'kinari', 'washi'],
  '#8d8577': ['kinari', 'washi'],
}

// Backgrounds around the focus ring and colours of the controls inside the ring, on light and on dark pages.
const rings: Record<string, { backgrounds: string[]; touched: string[] }> = {
  paper: {
    backgrounds: ['kinari', 'washi', 'washi-2', 'stripe', 'stripe-2', 'touched', '#ffffff'],
    touched: ['iro', 'iro-deep', 'sumi', 'nezumi', 'ai', 'matcha', '#16304a'],
  },
  night: { backgrounds: ['yoru', '#10141b'], touched: ['kinari', 'washi', '#ffffff'] },
}

// Rules for controls on images and films, with their own ring colours.
const imageRings = [
  ['app/ui/site.css', ':root'],
  ['app/ui/pause-button.module.css', '.button'],
  ['app/shop/story-slideshow.module.css', '.slideshow'],
  ['app/media/youtube.module.css', '.player'],
  ['app/chrome/site-header.module.css', '[data-surroundings="hero"] .header'],
].map(([file = '', selector = '']) => {
  const { ring, 'ring-inside': inside } = tokensOf(file, selector)
  return { ring: tokenIn(ring), inside: tokenIn(inside) }
})

describe.each(paletteNames)('the palette %s', (name) => {
  describe.each(Object.entries({ paper: paperTokens, night: { ...paperTokens, ...nightTokens } }))(
    'on %s',
    (surroundingsName, surroundings) => {
      const tokens: Record<string, string> = { ...surroundings, ...paletteTokens(name) }
      const colour = (token: string): string => {
        const value = token.startsWith('#') ? token : (tokens[token] ?? '')
        const [, reference] = /^var\(--(.+)\)$/.exec(value) ?? []
        return reference ? colour(reference) : value
      }
      const lowContrastPairs = (pairs: Record<string, string[]>, minimum: number) =>
        Object.entries(pairs).flatMap(([foreground, backgrounds]) =>
          backgrounds
            .map((background) => ({
              pair: `${foreground} on ${background}`,
              contrast: contrast(colour(foreground), colour(background)),
            }))
            .filter(({ contrast }) => !(contrast >= minimum)),
        )

      test('gives every text a contrast of at least 4.5 (WCAG 2.2, 1.4.3)', () => {
        expect(lowContrastPairs(textBackgrounds, 4.5)).toEqual([])
      })

      test('gives every graphic a contrast of at least 3 (WCAG 2.2, 1.4.11)', () => {
        expect(lowContrastPairs(graphicBackgrounds, 3)).toEqual([])
      })

      test('gives the focus ring a contrast of at least 3 with its background and its content', () => {
        const { backgrounds = [], touched = [] } = rings[surroundingsName] ?? {}
        expect(lowContrastPairs({ ring: [...backgrounds, 'ring-inside'], 'ring-inside': touched }, 3)).toEqual([])
      })

      test('gives the focus ring a contrast of at least 3 on any image', () => {
        const greys = Array.from({ length: 256 }, (_, grey) => `#${grey.toString(16).padStart(2, '0').repeat(3)}`)
        for (const { ring = '', inside = '' } of imageRings) {
          const tones = [colour(ring), colour(inside)]
          expect(greys.filter((grey) => !tones.some((tone) => contrast(tone, grey) >= 3))).toEqual([])
        }
      })
    },
  )
})

// The colours of a line between two steps and of a disabled arrow, which need no contrast.
const ornaments = ['#b9ad97', '#b8ad99']

test('includes every text and background colour of the stylesheets in the contrast tests', () => {
  const foregrounds = new Set([...Object.keys(textBackgrounds), ...Object.keys(graphicBackgrounds)])
  const backgrounds = new Set([...Object.values(textBackgrounds).flat(), ...Object.keys(graphicBackgrounds)])
  const unmeasured: string[] = []
  for (const file of globSync('app/**/*.css'))
    parseCss(file).walkDecls(/^(?:color|background|background-color)$/, ({ prop, value }) => {
      const known = prop === 'color' ? foregrounds : backgrounds
      const [, token] = /^var\(--([\w-]+)\)$/.exec(value) ?? []
      const [plain] = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/.exec(value) ?? []
      const name = token ?? (plain?.length === 4 ? plain.replaceAll(/\w/g, '$&$&') : plain)
      if (name && name !== '#000000' && !ornaments.includes(name) && !known.has(name))
        unmeasured.push(`${file}: ${prop}: ${value}`)
    })
  expect(unmeasured).toEqual([])
})

test('uses the ring colour for every outline', () => {
  const otherOutlines: string[] = []
  for (const file of globSync('app/**/*.css'))
    parseCss(file).walkDecls(/^outline(?:-color)?$/, ({ prop, value }) => {
      if (!/var\(--ring\)$|^none$/.test(value)) otherOutlines.push(`${file}: ${prop}: ${value}`)
    })
  expect(otherOutlines).toEqual([])
})

/** Returns the token in a `var()` value. */
function tokenIn(value = '') {
  return /^var\(--([\w-]+)\)$/.exec(value)?.[1]
}

/** Returns the contrast of two #rrggbb colours (WCAG 2.2). */
function contrast(first: string, second: string) {
  const [lighter = 0, darker = 0] = [luminance(first), luminance(second)].sort((a, b) => b - a)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminance(colour: string) {
  const [red = Number.NaN, green = Number.NaN, blue = Number.NaN] = [1, 3, 5]
    .map((index) => Number.parseInt(colour.slice(index, index + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
