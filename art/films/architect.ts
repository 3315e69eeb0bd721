// A blueprint at night. Lines draw an elevation, the sun and its shadows move in a circle, and a crane turns.
import {
  box,
  count,
  disc,
  ease,
  glow,
  group,
  lines,
  mix,
  n,
  type Point,
  shape,
  sheet,
  stroke,
  swing,
  turn,
  wash,
} from './drawing.ts'

export const seconds = 10
export const fps = 24

type Segment = { from: Point; to: Point; start: number; width: number }

const ground = 588
const left = 236
const bay = 64
const bays = 10
const floors = [286, 380, 474, 568]
const right = left + bays * bay
const ink = '#c9dceb'
const faint = '#6f95b5'

const defs = `<defs>${[
  wash('sheet', '#0c1829 0, #17324d 0.65, #24475f 1'),
  wash('glass', '#1c3a55 0, #2d5674 1'),
  wash('tiles', '#3a5872 0, #22415b 1'),
  glow('sun', '#f4d096', 0.7),
].join('')}</defs>`

const gridLines = `${count(32)
  .map((i) => `M${i * 40 + 20} 0V720`)
  .join('')}${count(18)
  .map((i) => `M0 ${i * 40 + 28}H1280`)
  .join('')}`
const paper = box(0, 0, 1280, 720, 'url(#sheet)') + stroke(gridLines, '#6b93b8', 1, 'opacity=".13"')
const elevation = [...roofLines(), ...floorLines(), ...columnLines()]
const site = [earth(), measures(), pine(116, 1, 1.1), pine(990, -1, 0.8), person(196), person(912), person(930)].join(
  '',
)

/** Draws the blueprint at the time t of the loop (0 to 1). */
export function frame(t: number): string {
  return sheet(defs, paper, sunPath(t), hall(t), crane(t), site)
}

/**
 * Returns the angle of the sun. It rises on the left at t = 0.8, is high at t = 0.05 and sets on the right at t = 0.3.
 */
function sunAngle(t: number) {
  return 2 * Math.PI * (t + 0.2)
}

function sunAt(angle: number): Point {
  return [556 - 500 * Math.cos(angle), ground - 496 * Math.sin(angle)]
}

function sunPath(t: number) {
  const hours = count(13).map((i) => {
    const [x, y] = sunAt((Math.PI * i) / 12)
    return disc(x, y, i % 3 === 0 ? 4 : 2.2, faint)
  })
  const [x, y] = sunAt(sunAngle(t))
  const arc = lines(
    count(61).map((i) => sunAt((Math.PI * i) / 60)),
    '',
  )
  return [
    stroke(arc, faint, 1.4, 'stroke-dasharray="2 9" stroke-linecap="round"'),
    ...hours,
    disc(x, y, 190, 'url(#sun)'),
    disc(x, y, 27, '#f3d9a6'),
  ].join('')
}

/** Draws the elevation line by line and then tints it with light. The elevation is hidden when the sun is lowest. */
function hall(t: number) {
  const told = turn(t + 0.5)
  const drawn = elevation.map(({ from, to, start, width }) => {
    const k = ease(told, start, start + 0.12)
    return k === 0 ? '' : stroke(lines([from, [mix(from[0], to[0], k), mix(from[1], to[1], k)]], ''), ink, width)
  })
  const washed = ease(told, 0.36, 0.48)
  const kept = 1 - ease(told, 0.86, 0.98)
  return group(`opacity="${kept}"`, group(`opacity="${washed}"`, body(t)), ...drawn)
}

function body(t: number) {
  const angle = sunAngle(t)
  const day = ease(Math.sin(angle), 0, 0.4)
  return [
    shape(roof(), 'url(#tiles)'),
    box(left, 286, bays * bay, 302, '#264764'),
    ...panes('url(#glass)', false),
    box(left, 286, bays * bay, 302, '#b9d2e2', `opacity="${0.2 * day}"`),
    `<clipPath id="front">${box(left, 286, bays * bay, 302, '#000')}</clipPath>`,
    group(`clip-path="url(#front)" opacity="${day * 0.5}"`, shadows(angle)),
    group(
      `opacity="${1 - 0.35 * day}"`,
      ...panes('#efc684', true),
      box(left + 4 * bay + 5, 490, 2 * bay - 10, 98, '#f6d79b'),
    ),
  ].join('')
}

/** Draws the window panes: either the panes of occupied rooms or all other panes. */
function panes(fill: string, busy: boolean) {
  return floors.slice(0, 3).flatMap((y, floor) => {
    const chosen = count(bays).filter((i) => ((i * 7 + floor * 5) % 4 === 0) === busy)
    return chosen.map((i) => box(left + i * bay + 5, y + 20, bay - 10, 68, fill))
  })
}

/** Draws the shadows below the eaves and the slabs, and beside each column. */
function shadows(angle: number) {
  const high = Math.max(0, Math.sin(angle))
  const aside = (34 * Math.cos(angle)) / Math.max(0.35, high)
  const beside = count(bays + 1).map((i) => {
    const x = left + i * bay
    return shape(
      lines([
        [x - 4, 286],
        [x + 4, 286],
        [x + 4 + aside, 588],
        [x - 4 + aside, 588],
      ]),
      '#081424',
    )
  })
  const below = floors.slice(0, 3).map((y) => box(left, y, bays * bay, 12 + (y === 286 ? 46 : 24) * high, '#081424'))
  return [...below, ...beside].join('')
}

function roof() {
  return lines([
    [left - 56, 286],
    [left + 70, 206],
    [right - 70, 206],
    [right + 56, 286],
  ])
}

function segment(x1: number, y1: number, x2: number, y2: number, start: number, width = 1.6): Segment {
  return { from: [x1, y1], to: [x2, y2], start, width }
}

function roofLines() {
  const ribs = count(25).map((i) =>
    segment(mix(left + 70, right - 70, i / 24), 206, mix(left - 56, right + 56, i / 24), 286, 0.18 + i * 0.004, 1),
  )
  return [segment(left - 56, 286, right + 56, 286, 0.12, 3), segment(left + 70, 206, right - 70, 206, 0.15, 4), ...ribs]
}

function floorLines() {
  return floors.flatMap((y, i) => [
    segment(left, y, right, y, 0.1 - i * 0.02, 2.4),
    segment(left, y + 20, right, y + 20, 0.22 + i * 0.01, 1),
  ])
}

function columnLines() {
  return count(bays + 1).flatMap((i) => {
    const x = left + i * bay
    return [segment(x - 4, ground, x - 4, 286, 0.03 + i * 0.008), segment(x + 4, ground, x + 4, 286, 0.04 + i * 0.008)]
  })
}

/**
 * Draws the crane. Its jib turns horizontally. In this side view, the jib therefore becomes shorter, and rises a little
 * as it comes nearer.
 */
function crane(t: number) {
  const [x, top] = [1086, 150]
  const heading = 0.95 * swing(t, 1, 0.2) - 0.35
  const reach = Math.sin(heading)
  const nearer = 16 * Math.cos(heading)
  const jib = (k: number, up = 0): Point => [x + 310 * k * reach, top + nearer * k - up * (1 - 0.6 * Math.abs(k))]
  const braces = count(12).map((i) => lines([jib(i / 12), jib((i + 0.5) / 12, 22), jib((i + 1) / 12)], ''))
  const mast = count(15).map(
    (i) => `M${x - 11} ${ground - i * 28}L${x + 11} ${ground - 14 - i * 28}L${x - 11} ${ground - 28 - i * 28}`,
  )
  const [hookX, hookY] = jib(0.72)
  const load = hookX + 5 * swing(t, 2, 0.4)
  return [
    stroke(`M${x - 11} ${ground}V${top + 18}M${x + 11} ${ground}V${top + 18}${mast.join('')}`, faint, 1.6),
    box(x - 15, top + 6, 30, 16, '#27496a'),
    stroke(`${lines([jib(0), jib(1)], '')}${lines([jib(0, 22), jib(1, 22)], '')}${braces.join('')}`, ink, 1.8),
    stroke(lines([jib(-0.34), jib(0)], ''), ink, 5),
    shape(
      lines([jib(-0.34), jib(-0.24), [jib(-0.24)[0], jib(-0.24)[1] + 26], [jib(-0.34)[0], jib(-0.34)[1] + 26]]),
      '#b1904a',
    ),
    stroke(lines([jib(-0.32), [x, top - 52], jib(0.8, 22)], ''), faint, 1.4),
    stroke(`M${x - 8} ${top}L${x} ${top - 54}L${x + 8} ${top}`, ink, 2.2),
    stroke(
      lines(
        [
          [hookX, hookY],
          [load, hookY + 128],
        ],
        '',
      ),
      ink,
      1.2,
    ),
    stroke(
      `M${n(load - 40)} ${n(hookY + 150)}L${n(load)} ${n(hookY + 128)}L${n(load + 40)} ${n(hookY + 150)}`,
      ink,
      1.2,
    ),
    box(load - 46, hookY + 150, 92, 8, '#b1904a'),
  ].join('')
}

function earth() {
  const hatch = count(70)
    .map((i) => `M${i * 20 - 10} ${ground + 16}l14 -14`)
    .join('')
  return (
    box(0, ground, 1280, 132, '#0b1726') + stroke(hatch, faint, 1, 'opacity=".5"') + box(0, ground - 2, 1280, 4, ink)
  )
}

/** Draws the axis bubbles and the dimension line below the ground. */
function measures() {
  const axes = count(bays + 1).map((i) => {
    const x = left + i * bay
    return (
      stroke(`M${x} ${ground + 22}V${646}M${x - 5} 637L${x + 5} 627`, faint, 1.2) +
      disc(x, 662, 13, '#0b1726', 13, `stroke="${faint}" stroke-width="1.4"`)
    )
  })
  return stroke(`M${left - 24} 632H${right + 24}`, faint, 1.2) + axes.join('')
}

/** Draws a pine with flat clouds of needles on a leaning trunk. */
function pine(x: number, lean: number, size: number) {
  const pads: [number, number, number][] = [
    [-6, 96, 62],
    [34, 142, 50],
    [-14, 182, 48],
    [18, 222, 34],
  ]
  const clouds = pads.map(([aside, high, wide]) => {
    const half = wide * size
    const [cx, y] = [x + aside * lean * size, ground - high * size]
    return shape(
      `M${cx - half} ${y}Q${cx - half} ${y - 20} ${cx - half * 0.5} ${y - 18}Q${cx} ${y - 40} ${cx + half * 0.5} ${y - 18}Q${cx + half} ${y - 20} ${cx + half} ${y}Z`,
      '#1d4250',
      `stroke="${faint}" stroke-width="1.3"`,
    )
  })
  return (
    stroke(
      `M${x - 8 * lean} ${ground}Q${x + 26 * lean * size} ${ground - 90 * size} ${x + 4 * lean * size} ${ground - 150 * size}T${x + 18 * lean * size} ${ground - 224 * size}`,
      ink,
      3,
    ) + clouds.join('')
  )
}

function person(x: number) {
  return (
    disc(x, ground - 44, 5, ink) +
    shape(
      `M${x - 7} ${ground - 37}H${x + 7}L${x + 6} ${ground - 18}L${x + 7} ${ground}H${x + 3}L${x} ${ground - 16}L${x - 5} ${ground}H${x - 9}L${x - 6} ${ground - 18}Z`,
      ink,
    )
  )
}
