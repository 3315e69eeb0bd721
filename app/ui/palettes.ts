/**
 * Names of the palettes in ui/palettes.css, and the colours that the logo and the browser's frame need. Colours with a
 * meaning (error, event, day off) are the same in all palettes.
 */
export const palettes = {
  shu: {
    name: '朱',
    iro: '#983a25',
    'iro-deep': '#7d2d1b',
    washi: '#f6f1e7',
    'washi-2': '#efe7d8',
    kinari: '#fffdf8',
  },
  ai: {
    name: '藍',
    iro: '#27557f',
    'iro-deep': '#1b3f61',
    washi: '#f1f3f1',
    'washi-2': '#e4e9e8',
    kinari: '#fbfdfc',
  },
  matcha: {
    name: '抹茶',
    iro: '#526326',
    'iro-deep': '#3d4b1a',
    washi: '#f4f4e6',
    'washi-2': '#e9ebd6',
    kinari: '#fdfef7',
  },
  sumi: {
    name: '墨',
    iro: '#45413c',
    'iro-deep': '#2b2825',
    washi: '#f4f2ee',
    'washi-2': '#e9e6e0',
    kinari: '#fdfcfa',
  },
  budou: {
    name: '葡萄',
    iro: '#713a66',
    'iro-deep': '#57294e',
    washi: '#f5f1ef',
    'washi-2': '#ece4e4',
    kinari: '#fefcfb',
  },
} as const

export type PaletteName = keyof typeof palettes

export const paletteNames = Object.keys(palettes) as PaletteName[]
