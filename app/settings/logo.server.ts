import { hash } from 'node:crypto'
import { graphemes } from '../ui/characters.ts'
import { type PaletteName, palettes } from '../ui/palettes.ts'
import type { SiteSettings } from './site.ts'

// Increment this number when the design changes, because browsers cache the images for a year.
const DESIGN_VERSION = 1

export type Logo = { characters: string; name: string; palette: PaletteName }

/** Returns the shop's logo with at most two characters. The default is the first character of the shop's name. */
export function logoOf({ seal, name, palette }: Pick<SiteSettings, 'seal' | 'name' | 'palette'>): Logo {
  return { characters: graphemes(seal).slice(0, 2).join('') || (graphemes(name)[0] ?? ''), name, palette }
}

/** Returns 16 hexadecimal digits, which change if the logo or its design changes. */
export function digestOf({ characters, name, palette }: Logo) {
  return hash('sha256', JSON.stringify([DESIGN_VERSION, characters, name, palettes[palette]]), 'hex').slice(0, 16)
}
