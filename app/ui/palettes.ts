/**
 * Values of the tokens in ui/palettes.css, by palette. Colours with a meaning (error, event, day off) are the same in
 * all palettes.
 */
export const palettes = {
  shu: {
    name: '朱',
    iro: '#983a25',
    'iro-deep': '#7d2d1b',
    washi: '#f6f1e7',
    'washi-2': '#efe7d8',
    kinari: '#fffdf8',
    line: '#d8cdb9',
    stripe: '#f0e8da',
    'stripe-2': '#ebe1cf',
    'stripe-key': '#e6dac4',
    'stripe-key-2': '#c9b998',
    touched: '#f5ecd9',
  },
  ai: {
    name: '藍',
    iro: '#27557f',
    'iro-deep': '#1b3f61',
    washi: '#f1f3f1',
    'washi-2': '#e4e9e8',
    kinari: '#fbfdfc',
    line: '#c6d0d1',
    stripe: '#e9eeec',
    'stripe-2': '#dee6e5',
    'stripe-key': '#d3dddf',
    'stripe-key-2': '#a9bcc2',
    touched: '#e6eef0',
  },
  matcha: {
    name: '抹茶',
    iro: '#526326',
    'iro-deep': '#3d4b1a',
    washi: '#f4f4e6',
    'washi-2': '#e9ebd6',
    kinari: '#fdfef7',
    line: '#ced2b5',
    stripe: '#edefdb',
    'stripe-2': '#e4e8cd',
    'stripe-key': '#dadfbd',
    'stripe-key-2': '#b5bd8b',
    touched: '#eef1d8',
  },
  sumi: {
    name: '墨',
    iro: '#45413c',
    'iro-deep': '#2b2825',
    washi: '#f4f2ee',
    'washi-2': '#e9e6e0',
    kinari: '#fdfcfa',
    line: '#d0cbc2',
    stripe: '#ece9e3',
    'stripe-2': '#e3dfd8',
    'stripe-key': '#d9d5cc',
    'stripe-key-2': '#b5afa4',
    touched: '#efebe4',
  },
  budou: {
    name: '葡萄',
    iro: '#713a66',
    'iro-deep': '#57294e',
    washi: '#f5f1ef',
    'washi-2': '#ece4e4',
    kinari: '#fefcfb',
    line: '#d6cac9',
    stripe: '#f0e8e8',
    'stripe-2': '#e8dddf',
    'stripe-key': '#e3d3d8',
    'stripe-key-2': '#c3abb3',
    touched: '#f3e8ea',
  },
} as const

export type PaletteName = keyof typeof palettes

export const paletteNames = Object.keys(palettes) as PaletteName[]

export function isPaletteName(name: string): name is PaletteName {
  return Object.hasOwn(palettes, name)
}
