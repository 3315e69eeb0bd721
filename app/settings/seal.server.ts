import { hash } from 'node:crypto'
import { graphemes } from '../ui/characters.ts'
import { type PaletteName, palettes } from '../ui/palettes.ts'
import type { SiteFacts } from './site.ts'

// Goes up with each change of how they are drawn: what was drawn before is kept by browsers for a year.
const DRAWING = 1

/** What the pictures of a seal are made of. */
export type Seal = { characters: string; name: string; palette: PaletteName }

/** The shop's seal: what is on it, where nothing is named the first character of its name. */
export function sealOf({ seal, name, palette }: Pick<SiteFacts, 'seal' | 'name' | 'palette'>): Seal {
  return { characters: graphemes(seal).slice(0, 2).join('') || (graphemes(name)[0] ?? ''), name, palette }
}

/** Sixteen digits that name what a seal's pictures are made of, and how. */
export function digestOf({ characters, name, palette }: Seal) {
  return hash('sha256', JSON.stringify([DRAWING, characters, name, palettes[palette]]), 'hex').slice(0, 16)
}
