// A projector at night: two reels turn, dust drifts in the beam, and a film strip of moonrises moves in front.
import {
  box,
  count,
  curve,
  disc,
  glow,
  group,
  lines,
  mix,
  n,
  type Point,
  scatter,
  shape,
  sheet,
  stroke,
  swing,
  wash,
} from './drawing.ts'

export const seconds = 10
export const fps = 24

const lens = { x: 858, y: 404 }
const pitch = 150
const pictures = 4

const defs = `<defs>${[
  wash('room', '#191c2b 0, #222436 0.6, #12131c 1'),
  wash('beam', '#f6d498 0 0.34, #f6d498 0.5 0.42, #fff1cf 1 0.85', 'x2="1"'),
  wash('shaft', '#fff3d6 0 0.2, #fff3d6 1 0.5', 'x2="1"'),
  wash('sky', '#1d3a57 0, #5b6f80 0.6, #d8a878 1'),
  wash('fade', '#12131c 0 0, #0d0e15 1 0.85'),
  glow('lamp', '#ffe3ab', 0.8),
].join('')}</defs>`

const next = scatter(7)
const motes = count(64).map(() => ({
  far: 0.08 + 0.9 * next(),
  across: next() * 1.5 - 0.75,
  late: next(),
  size: 1.2 + 2.6 * next(),
  times: 1 + Math.floor(2 * next()),
}))

/** Draws the projector at the time t of the loop (0 to 1). */
export function frame(t: number): string {
  return sheet(defs, box(0, 0, 1280, 720, 'url(#room)'), beam(t), dust(t), projector(t), strip(t))
}

/**
 * Returns a point of the beam: `far` from the lens (0) to the left edge (1), `across` from its top (-1) to its bottom
 * (1).
 */
function inBeam(far: number, across: number): Point {
  return [mix(lens.x, -20, far), lens.y + across * mix(11, 290, far) - 34 * far]
}

function beam(t: number) {
  const shafts = count(5).map((i) => {
    const middle = -0.72 + i * 0.36 + 0.1 * swing(t, 1, i * 0.37)
    const half = 0.06 + 0.035 * swing(t, 1, i * 0.21)
    return shape(
      lines([inBeam(0, middle), inBeam(1, middle - half), inBeam(1, middle + half)]),
      'url(#shaft)',
      'opacity=".5"',
    )
  })
  return [shape(lines([inBeam(0, -1), inBeam(1, -1), inBeam(1, 1), inBeam(0, 1)]), 'url(#beam)'), ...shafts].join('')
}

function dust(t: number) {
  return motes
    .map(({ far, across, late, size, times }) => {
      const [x, y] = inBeam(far, across)
      const bright = 0.35 + 0.35 * swing(t, times, late)
      return disc(
        x + 26 * swing(t, 1, late),
        y + 16 * swing(t, 1, late + 0.25) - 8 * swing(t, 2, late),
        size,
        '#fff6e0',
        size,
        `opacity="${n(bright)}"`,
      )
    })
    .join('')
}

function projector(t: number) {
  return [
    stroke('M940 350L842 206M1076 350L1126 186', '#0b0c12', 24),
    stroke('M948 232Q944 300 926 344M984 214Q990 300 1016 344', '#0b0c12', 4),
    reel(842, 206, 110, t, 0.5),
    reel(1126, 190, 144, t, 0.9),
    shape('M900 338H1112Q1124 338 1124 350V520H888V350Q888 338 900 338Z', '#0d0e15'),
    shape('M900 338H1112Q1124 338 1124 350H888Q888 338 900 338Z', '#3a3340'),
    box(888, 350, 6, 170, '#8a5a3c'),
    ...count(7).map((i) => box(960 + i * 18, 384, 8, 66, '#1c1e2a')),
    box(912, 372, 30, 92, '#1c1e2a', 'rx="3"'),
    disc(927, 404, 9, '#f0b560'),
    shape('M888 378H866V384H850V424H866V430H888Z', '#1a1b26'),
    box(846, 380, 8, 48, '#b1904a'),
    disc(852, 404, 92, 'url(#lamp)'),
    disc(850, 404, 7, '#fffaf0', 17),
    shape('M870 520H1142L1176 720H836Z', '#0b0c12'),
    box(850, 514, 312, 14, '#241f27'),
    box(850, 514, 312, 3, '#6e4a3a'),
  ].join('')
}

/**
 * Draws a reel. It has five equal windows, so after a rotation by two fifths it looks as at the beginning of the loop.
 */
function reel(x: number, y: number, r: number, t: number, wound: number) {
  const windows = count(5).map((i) => {
    const angle = 2 * Math.PI * (i / 5 + (2 / 5) * t)
    return (
      disc(x + 0.58 * r * Math.cos(angle), y + 0.58 * r * Math.sin(angle), 0.22 * r, '#2a2c40') +
      disc(
        x + 0.58 * r * Math.cos(angle),
        y + 0.58 * r * Math.sin(angle),
        0.22 * r,
        '#4a2a22',
        0.22 * r,
        `opacity="${wound}"`,
      )
    )
  })
  return [
    disc(x, y, r, '#0b0c12'),
    disc(x, y, r - 5, '#1a1b27'),
    disc(x, y, r - 14, '#12131c'),
    ...windows,
    disc(x, y, 0.24 * r, '#1f2130'),
    disc(x, y, 0.11 * r, '#b1904a'),
    disc(x, y, 0.05 * r, '#0b0c12'),
    stroke(
      `M${n(x - 0.97 * r)} ${n(y + 0.2 * r)}A${n(r)} ${n(r)} 0 0 1 ${n(x - 0.3 * r)} ${n(y - 0.94 * r)}`,
      '#e0b070',
      3,
      'opacity=".55" stroke-linecap="round"',
    ),
  ].join('')
}

/** Returns the middle of the moving film strip at x. */
function run(x: number): Point {
  return [x, 606 + 34 * Math.sin((x - 240) / 250)]
}

function strip(t: number) {
  const edge = (side: number) => count(34).map((i): Point => [i * 40 - 20, run(i * 40 - 20)[1] + side * 78])
  const cells = count(16).map((i) => cell(i - 6 + pictures * t, i % pictures))
  return [
    shape(`${curve(edge(-1))}${curve(edge(1).reverse()).replace('M', 'L')}Z`, '#0c0a0d'),
    ...cells,
    stroke(curve(edge(-1)), '#7c5a40', 2.5),
    shape(`${curve(edge(1))}L1300 720L-20 720Z`, 'url(#fade)'),
  ].join('')
}

/** Draws one image of the film strip. The moon stands a little higher in each image. */
function cell(place: number, picture: number) {
  const [x, y] = run((place + 0.5) * pitch)
  const slope = (180 / Math.PI) * Math.atan((34 / 250) * Math.cos((x - 240) / 250))
  const holes = count(6).map(
    (i) => box(-70 + i * 25, -70, 13, 11, '#4a4250', 'rx="2"') + box(-70 + i * 25, 59, 13, 11, '#4a4250', 'rx="2"'),
  )
  return group(
    `transform="translate(${n(x)} ${n(y)}) rotate(${n(slope)})"`,
    ...holes,
    box(-68, -50, 136, 100, 'url(#sky)', 'rx="3"'),
    disc(8 + picture * 8, 8 - picture * 13, 15, '#f6e7c4'),
    shape('M-68 22Q-34 -16 -6 12T68 8V50H-68Z', '#27465c'),
    shape('M-68 36Q-20 12 18 30T68 26V47Q68 50 65 50H-65Q-68 50 -68 47Z', '#16293c'),
  )
}
