import type { palettes } from '../../app/ui/palettes.ts'
import type { Outlines } from './logo-outlines.ts'

type Colours = Pick<(typeof palettes)[keyof typeof palettes], 'iro' | 'iro-deep' | 'kinari' | 'washi' | 'washi-2'>
type Ink = { left: number; right: number; top: number; bottom: number }

const SIDE = 512
const INK = '#211f1c'
// Height of the curtain below its first stripe.
const HEM = 44

/** Motif of the logo. Lengths are in ems. */
export type Motif = { paths: string; ink: Ink; ems: number }

export function setInLine(line: Outlines): Motif {
  return { paths: line.paths, ink: line, ems: Math.max(1, line.width) }
}

export function stackVertically(characters: Outlines[]): Motif {
  const ink = {
    left: Math.min(...characters.map(({ left }) => left)),
    right: Math.max(...characters.map(({ right }) => right)),
    top: Math.min(...characters.map(({ top }, index) => top + index)),
    bottom: Math.max(...characters.map(({ bottom }, index) => bottom + index)),
  }
  const moveDown = (character: Outlines, index: number) => `<g transform="translate(0 ${index})">${character.paths}</g>`
  return { paths: characters.map(moveDown).join(''), ink, ems: characters.length }
}

export const curtain: Motif = {
  paths: [
    '<rect x="0" y="0" width="1" height="0.07" rx="0.035"/>',
    ...[0.06, 0.3625, 0.665].map(
      (x) =>
        `<path d="M${x} .13H${x + 0.275}V.82q-.07 .05 -.1375 0t-.1375 0ZM${x + 0.04} 0h.05v.2h-.05ZM${x + 0.185} 0h.05v.2h-.05Z"/>`,
    ),
  ].join(''),
  ink: { left: 0, right: 1, top: 0, bottom: 0.86 },
  ems: 1,
}

/** Returns an SVG of 512 × 512 pixels. `full bleed` is for iOS, which rounds icons. `maskable` fits any mask. */
export function renderLogoSvg(motif: Motif, { iro, kinari }: Colours, shape: 'rounded' | 'full bleed' | 'maskable') {
  const corners = shape === 'rounded' ? ' rx="96"' : ''
  const ems = motif.ems > 1 ? 400 / motif.ems : 344
  // Platforms may cut off everything outside a circle with a diameter of 80 %:
  // https://www.w3.org/TR/appmanifest/#icon-masks
  const size = shape === 'maskable' ? Math.min(ems, (SIDE * 0.39) / inkRadius(motif.ink)) : ems
  return renderSvg(
    SIDE,
    SIDE,
    `<rect width="${SIDE}" height="${SIDE}"${corners} fill="${iro}"/>${placeMotif(motif, { x: 256, y: 256, size }, kinari)}`,
  )
}

export function renderShareSvg(motif: Motif | null, lines: Outlines[], colours: Colours) {
  const cloth = { left: 160, panelWidth: 176, panels: 5, top: 74, bottom: lines.length > 1 ? 334 : 366 }
  const above = cloth.bottom - HEM
  const size = motif ? Math.min(152, (above - cloth.top - 44) / motif.ems, 148 / (motif.ink.right - motif.ink.left)) : 0
  return renderSvg(
    1200,
    630,
    [
      `<defs>
      <linearGradient id="paper" x2="0" y2="1"><stop stop-color="${colours.washi}"/><stop offset="1" stop-color="${colours['washi-2']}"/></linearGradient>
      <linearGradient id="cloth" x2="0" y2="1"><stop stop-color="${colours['iro-deep']}"/><stop offset=".55" stop-color="${colours.iro}"/><stop offset="1" stop-color="${colours.iro}"/></linearGradient>
      <linearGradient id="light" x2="0" y2="1"><stop offset=".5" stop-color="#fff" stop-opacity="0"/><stop offset="1" stop-color="#fff" stop-opacity=".14"/></linearGradient>
      <radialGradient id="lamp"><stop stop-color="#ffdf9c" stop-opacity=".75"/><stop offset="1" stop-color="#ffdf9c" stop-opacity="0"/></radialGradient>
      <filter id="soft" x="-10%" y="-10%" width="120%" height="130%"><feGaussianBlur stdDeviation="14"/></filter>
      <filter id="grain" x="0" y="0" width="1" height="1" color-interpolation-filters="sRGB"><feTurbulence type="fractalNoise" baseFrequency=".7 .55" numOctaves="2" seed="3"/><feColorMatrix values="0 0 0 0 .2 0 0 0 0 .16 0 0 0 0 .1 1.6 0 0 0 -.75"/></filter>
    </defs>`,
      '<rect width="1200" height="630" fill="url(#paper)"/>',
      '<rect width="1200" height="630" filter="url(#grain)" opacity=".2"/>',
      `<ellipse cx="600" cy="${cloth.bottom - 20}" rx="640" ry="230" fill="url(#lamp)"/>`,
      drawCurtain(cloth, colours),
      motif ? placeMotif(motif, { x: 600, y: (cloth.top + above) / 2 + 6, size }, colours.kinari) : '',
      ...drawName(lines, cloth.bottom),
    ].join(''),
  )
}

type CurtainGeometry = { left: number; panelWidth: number; panels: number; top: number; bottom: number }

function drawCurtain({ left, panelWidth, panels, top, bottom }: CurtainGeometry, { kinari }: Colours) {
  const right = left + panelWidth * panels
  const each = Array.from({ length: panels }, (_, index) => left + panelWidth * index)
  const cloth = each.map((x, index) => {
    const hem = bottom + 4 * Math.cos(2.4 * index)
    const [a, b] = [x + 1.5, x + panelWidth - 1.5]
    return `M${a} ${top}H${b}C${b} ${top + 120} ${b + 5} ${top + 170} ${b + 3} ${hem}q${-panelWidth / 4} 11 ${-panelWidth / 2} 3t${-panelWidth / 2} 0C${a + 5} ${top + 170} ${a} ${top + 120} ${a} ${top}Z`
  })
  const folds = each.flatMap((x) =>
    [0.24, 0.72].map(
      (at) => `M${x + panelWidth * at} ${top}q6 130 ${-9} ${bottom - top + 20}h30q-10 -150 -17 ${top - bottom - 20}Z`,
    ),
  )
  const loops = each.flatMap((x) =>
    [x + panelWidth * 0.16, x + panelWidth * 0.74].map((at) => `M${at} ${top - 14}h18v26h-18Z`),
  )
  const all = cloth.join('')
  return [
    `<path d="${all}" transform="translate(6 20)" fill="#3b2a18" opacity=".3" filter="url(#soft)"/>`,
    `<clipPath id="curtain"><path d="${all}"/></clipPath>`,
    `<path d="${all}" fill="url(#cloth)"/>`,
    '<g clip-path="url(#curtain)">',
    `<path d="${folds.join('')}" fill="#000" opacity=".13"/>`,
    `<path d="M0 ${bottom - HEM}H1200v8H0ZM0 ${bottom - HEM + 14}H1200v3H0Z" fill="${kinari}" opacity=".9"/>`,
    `<path d="${all}" fill="url(#light)"/>`,
    '</g>',
    `<path d="M${left - 44} ${top - 10}H${right + 44}V${top}H${left - 44}Z" fill="#8a7040"/>`,
    `<path d="M${left - 44} ${top - 10}H${right + 44}V${top - 7}H${left - 44}Z" fill="#d3b374"/>`,
    `<path d="${loops.join('')}" fill="url(#cloth)"/>`,
  ].join('')
}

function drawName(lines: Outlines[], above: number) {
  const widest = Math.max(...lines.map(({ left, right }) => right - left))
  const size = Math.min(lines.length > 1 ? 68 : 86, 1000 / widest)
  const step = size * 1.42
  const middle = (above + 630) / 2 + 6
  return lines.map((line, index) => {
    const y = middle + (index - (lines.length - 1) / 2) * step
    // All lines have the same vertical bounds, so that the line spacing does not depend on the drawn characters.
    const ink = { ...line, top: -0.82, bottom: 0.06 }
    return placeMotif({ paths: line.paths, ink, ems: 1 }, { x: 600, y, size }, INK)
  })
}

// `size` is in pixels per em.
function placeMotif({ paths, ink }: Motif, { x, y, size }: { x: number; y: number; size: number }, fill: string) {
  const [middle, height] = [(ink.left + ink.right) / 2, (ink.top + ink.bottom) / 2]
  return `<g fill="${fill}" transform="translate(${x} ${y}) scale(${size}) translate(${-middle} ${-height})">${paths}</g>`
}

function inkRadius({ left, right, top, bottom }: Ink) {
  return Math.hypot(right - left, bottom - top) / 2
}

function renderSvg(width: number, height: number, content: string) {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">${content}</svg>`
}
