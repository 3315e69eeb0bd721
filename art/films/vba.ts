// A tiled roof by moonlight that resembles a spreadsheet. A wave runs through the cells, and calculated cells glow.
import {
  box,
  count,
  disc,
  ease,
  glow,
  lines,
  mix,
  type Point,
  scatter,
  shape,
  sheet,
  stroke,
  swing,
  turn,
  wash,
} from './drawing.ts'

export const seconds = 10
export const fps = 15

type Tile = { column: number; row: number; value: number }

const rows = 11
const columns = 24

const next = scatter(21)
// Upper rows cover lower ones, so the roof is drawn from the eaves to the ridge.
const tiles: Tile[] = count(rows)
  .reverse()
  .flatMap((row) => count(columns).map((column) => ({ column, row, value: next() })))

const defs = `<defs>${[
  wash('sky', '#0c1322 0, #35486a 1', 'gradientUnits="userSpaceOnUse" x2="0" y2="150"'),
  wash('dusk', '#0d121d 0 0.35, #0d121d 0.4 0, #0d121d 0.7 0, #0d121d 1 0.4'),
  glow('moon', '#f3e3bd', 0.55),
].join('')}</defs>`

/** Draws the roof at the time t of the loop (0 to 1). */
export function frame(t: number): string {
  return sheet(defs, sky(t), ...tiles.map((tile) => drawTile(tile, t)), box(0, 170, 1280, 550, 'url(#dusk)'), ridge())
}

function sky(t: number) {
  const haze = (x: number, y: number, wide: number) => box(x, y, wide, 11, '#566a8c', 'rx="5.5" opacity=".8"')
  return [
    box(0, 0, 1280, 720, '#101724'),
    box(0, 0, 1280, 180, 'url(#sky)'),
    disc(930, 112, 260, 'url(#moon)'),
    disc(930, 112, 66, '#f4e6c5'),
    haze(800 + 30 * swing(t), 88, 230),
    haze(890 + 30 * swing(t), 77, 220),
    haze(180 - 36 * swing(t, 1, 0.2), 66, 300),
    haze(250 - 36 * swing(t, 1, 0.2), 55, 140),
  ].join('')
}

/** Draws the ridge: layers of flat tiles under a row of round tiles. */
function ridge() {
  const ends = count(23).map((i) => disc(i * 58 + 2, 166, 15, '#3a475a') + disc(i * 58 + 2, 166, 10, '#1a2230'))
  const caps = count(23).map(
    (i) =>
      shape(`M${i * 58 - 28} 132Q${i * 58 - 26} 116 ${i * 58 + 2} 116T${i * 58 + 31} 132Z`, '#222c3c') +
      stroke(`M${i * 58 - 26} 126Q${i * 58 - 18} 117 ${i * 58 + 2} 117T${i * 58 + 29} 126`, '#6c7f96', 2),
  )
  return [
    box(0, 168, 1280, 22, '#0b0f18', 'opacity=".7"'),
    box(0, 122, 1280, 12, '#1a2230'),
    ...caps,
    box(0, 131, 1280, 34, '#1a2230'),
    ...[139, 148, 157].map((y) => box(0, y, 1280, 1.6, '#4d5f77')),
    ...ends,
  ].join('')
}

/** Returns a point of the roof. Columns converge at a far point above the frame, and rows grow towards the eaves. */
function onRoof(column: number, row: number): Point {
  const y = 168 + 610 * (row / rows) ** 1.3
  return [640 + (column - columns / 2) * (46 + 0.085 * y), y]
}

/** Returns the height of the wave at a tile, between -1 and 1. */
function wave(t: number, column: number, row: number) {
  return 0.62 * swing(t, 1, 0.055 * column + 0.1 * row) + 0.38 * swing(t, 2, 0.13 * row - 0.05 * column)
}

function drawTile({ column, row, value }: Tile, t: number) {
  const [left, front] = onRoof(column, row + 1)
  const [right] = onRoof(column + 1, row + 1)
  const [, back] = onRoof(column, row)
  const [backLeft] = onRoof(column, row)
  const [backRight] = onRoof(column + 1, row)
  const wide = right - left
  const lift = wave(t, column, row)
  const slope = wave(t, column, row + 0.5) - wave(t, column, row - 0.5)
  const bottom = front - 0.13 * wide * lift
  const light = 0.27 + 0.17 * lift + 0.5 * slope
  const reckoned = value < 0.3 ? ease(1 - 6 * Math.abs(turn(2 * t + 0.55 - 0.045 * column - 0.08 * row) - 0.5)) : 0
  const face = tint(light, reckoned)
  const edge = profile(left, bottom, wide)
  const roll = lines([
    [backLeft + 0.66 * (backRight - backLeft), back - 8],
    [backRight, back - 8],
    ...edge.slice(7).toReversed(),
  ])
  return [
    shape(
      lines([
        [backLeft, back - 14],
        [backRight, back - 14],
        [right, bottom + 12 + 8 * lift],
        [left, bottom + 12 + 8 * lift],
      ]),
      '#0c111b',
      'opacity=".6"',
    ),
    shape(lines([[backLeft, back - 14], [backRight, back - 14], ...edge.toReversed()]), face),
    shape(roll, tint(light + 0.16, reckoned)),
    stroke(lines(edge, ''), tint(light + 0.34, reckoned), 2 + wide / 40, 'stroke-linejoin="round"'),
  ].join('')
}

/** Returns the front edge of a pantile from left to right: a shallow pan, then the roll. */
function profile(left: number, y: number, wide: number): Point[] {
  return count(13).map((i) => {
    const k = i / 12
    const rise = k < 0.6 ? -0.07 * Math.sin((Math.PI * k) / 0.6) : 0.15 * Math.sin((Math.PI * (k - 0.6)) / 0.4)
    return [left + k * wide, y - rise * wide]
  })
}

function tint(light: number, reckoned: number) {
  const k = Math.min(1, Math.max(0, light))
  const channel = (night: number, moonlit: number, gold: number) =>
    Math.round(mix(mix(night, moonlit, k), gold * (0.6 + 0.4 * k), 0.7 * reckoned))
  return `rgb(${channel(24, 150, 232)},${channel(32, 170, 170)},${channel(46, 186, 84)})`
}
