// A night town on both banks of a river: windows light up, lanterns float by, and strings of light connect the houses.
import {
  box,
  count,
  curve,
  disc,
  ease,
  glow,
  lines,
  mix,
  nth,
  type Point,
  scatter,
  shape,
  sheet,
  stroke,
  swing,
  turn,
  visit,
  wash,
} from './drawing.ts'

export const seconds = 10
export const fps = 24

type House = { x: number; y: number; size: number; tall: boolean; wakes: number[] }

const horizon = 236
const rows = 9

const defs = `<defs>${[
  wash('sky', '#0b1120 0, #26314d 0.42, #8a6a6a 0.68, #8a6a6a 1'),
  wash('river', '#8a7276 0, #4a5770 0.1, #22364f 0.45, #101a2a 1'),
  wash('land', '#31384c 0, #1b2130 0.4, #0e1119 1'),
  glow('light', '#ffb964', 0.9),
].join('')}</defs>`

const streets = count(rows).map((row): [House[], House[]] => [street(row, -1), street(row, 1)])
const town = streets.flat(2)
const view = [sky(), shape(bank(), 'url(#river)')].join('')

/** Draws the town at the time t of the loop (0 to 1). */
export function frame(t: number): string {
  return sheet(defs, view, ripples(t), floating(t), ...town.map((house) => drawHouse(house, t)), garlands(t))
}

/**
 * Returns a point of the river: `near` from the horizon (0) to the lower edge (1), `aside` from its left bank (-1) to
 * its right bank (1).
 */
function onRiver(near: number, aside: number): Point {
  const middle = 720 + 170 * Math.sqrt(near) * Math.sin(4.4 * Math.sqrt(near) + 0.5)
  return [middle + aside * (12 + 330 * near), horizon + 490 * near]
}

function bank() {
  const edge = (side: number) => count(24).map((i) => onRiver((i / 22) ** 2, side))
  return `${curve(edge(-1))}${curve(edge(1).reverse()).replace('M', 'L')}Z`
}

function sky() {
  return [
    box(0, 0, 1280, 300, 'url(#sky)'),
    shape('M0 214Q90 128 210 150T420 190T600 176T800 196Q920 112 1060 140T1280 182V300H0Z', '#2b3550'),
    shape('M0 236Q160 176 320 214T640 214Q860 240 980 212T1280 214V300H0Z', '#1d2538'),
    pagoda(1010, 214),
    box(0, horizon, 1280, 720 - horizon, 'url(#land)'),
  ].join('')
}

function pagoda(x: number, y: number) {
  const roofs = count(5).map((i) => {
    const [half, top] = [38 - i * 4, y - 14 - i * 19]
    return `M${x - half} ${top + 3}Q${x - half * 0.5} ${top - 3} ${x} ${top - 13}Q${x + half * 0.5} ${top - 3} ${x + half} ${top + 3}Z`
  })
  return shape(
    `${roofs.join('')}M${x - 15} ${y + 20}L${x - 8} ${y - 92}H${x + 8}L${x + 15} ${y + 20}ZM${x - 1.5} ${y - 96}V${y - 140}H${x + 1.5}V${y - 96}Z`,
    '#141a28',
  )
}

/** Returns the houses of one row, from the edge of the water outwards. */
function street(row: number, side: number): House[] {
  const next = scatter(row * 17 + side * 5 + 40)
  const near = ((row + 0.35) / rows) ** 1.75
  const size = 26 + 190 * near
  const [edge, y] = onRiver(near, side)
  const places = count(20).map((i) => ({
    x: edge + side * size * (0.85 + i * 1.22 + 0.2 * next()),
    y: y - i * size * 0.05,
  }))
  const seen = places.filter(({ x }) => x > -size && x < 1280 + size)
  return seen.map(({ x, y }) => ({
    x,
    y,
    size: size * (0.92 + 0.16 * next()),
    tall: next() > 0.5,
    wakes: count(3).map(next),
  }))
}

function drawHouse({ x, y, size, tall, wakes }: House, t: number) {
  const [half, high] = [size * 0.46, size * (tall ? 0.78 : 0.5)]
  const eaves = y - high
  const roof = lines([
    [x - size * 0.58, eaves + size * 0.04],
    [x - size * 0.42, eaves - size * 0.26],
    [x + size * 0.42, eaves - size * 0.26],
    [x + size * 0.58, eaves + size * 0.04],
  ])
  const windows = wakes.map((late, i) => {
    const [wx, wy, wide, tallness] = [x - half + size * (0.08 + i * 0.29), eaves + size * 0.14, size * 0.2, size * 0.24]
    const light = brightness(t, late)
    const bars =
      size < 60
        ? ''
        : stroke(
            count(3)
              .map((k) =>
                lines(
                  [
                    [wx + (k + 1) * wide * 0.25, wy],
                    [wx + (k + 1) * wide * 0.25, wy + tallness],
                  ],
                  '',
                ),
              )
              .join(''),
            '#151219',
            size * 0.018,
          )
    return box(wx, wy, wide, tallness, '#f5b262', `opacity="${(0.06 + 0.94 * light).toFixed(2)}"`) + bars
  })
  return [
    box(x - half, eaves, half * 2, high, '#171922'),
    tall ? box(x - size * 0.52, y - size * 0.36, size * 1.04, size * 0.06, '#0d0f16') : '',
    ...windows,
    shape(roof, '#262d3d'),
    shape(
      lines([
        [x - size * 0.58, eaves + size * 0.04],
        [x - size * 0.55, eaves - size * 0.02],
        [x + size * 0.55, eaves - size * 0.02],
        [x + size * 0.58, eaves + size * 0.04],
      ]),
      '#0d0f16',
    ),
    box(x - size * 0.44, eaves - size * 0.29, size * 0.88, size * 0.05, '#394154'),
  ].join('')
}

/**
 * Returns the brightness of a window. Four of ten windows stay lit. The other windows turn on and off at different
 * times.
 */
function brightness(t: number, late: number) {
  return late < 0.4 ? 0.85 : visit(turn(t + late * 7), 0.3) * 0.9
}

function ripples(t: number) {
  const next = scatter(3)
  return count(34)
    .map((i) => {
      const near = ((i + 0.5) / 34) ** 1.8
      const [x, y] = onRiver(near, next() * 1.4 - 0.7)
      const half = (8 + 90 * near) * (0.8 + 0.2 * swing(t, 1, next()))
      const aside = 14 * near * swing(t, 1, next())
      return shape(
        curve([
          [x - half + aside, y],
          [x + aside, y - 1 - 2 * near],
          [x + half + aside, y],
          [x + aside, y + 1 + 2 * near],
          [x - half + aside, y],
        ]),
        i % 4 === 0 ? '#c98f62' : '#7d8ba4',
        'opacity=".22"',
      )
    })
    .join('')
}

/**
 * Draws paper lanterns on the water. Each lantern moves to the position of the next lantern, so the loop is seamless.
 */
function floating(t: number) {
  const lanterns = [-0.42, 0.1, 0.5].flatMap((lane, k) =>
    count(7).map((i) => {
      const place = i + turn(t + k / 3)
      return { near: (place / 6) ** 1.9, lane: lane + 0.1 * Math.sin(1.3 * place + k) }
    }),
  )
  return lanterns
    .sort((a, b) => a.near - b.near)
    .map(({ near, lane }) => {
      const [x, y] = onRiver(near, lane)
      const size = 3 * ease(near, 0, 0.01) + 44 * near
      return [
        disc(x, y, size * 3.4, 'url(#light)', size * 2.2, `opacity="${ease(near, 0, 0.05) * 0.8}"`),
        shape(
          lines([
            [x - size * 0.4, y + size * 0.1],
            [x + size * 0.4, y + size * 0.1],
            [x + size * 0.22, y + size * 1.7],
            [x - size * 0.22, y + size * 1.7],
          ]),
          '#f0a452',
          'opacity=".3"',
        ),
        box(x - size * 0.7, y - size * 0.08, size * 1.4, size * 0.22, '#2a1710'),
        box(x - size * 0.45, y - size * 1.2, size * 0.9, size * 1.14, '#ffcf8a'),
        box(x - size * 0.45, y - size * 0.5, size * 0.9, size * 0.44, '#f09a45'),
        stroke(
          lines(
            [
              [x - size * 0.45, y - size * 1.2],
              [x + size * 0.45, y - size * 1.2],
            ],
            '',
          ),
          '#2a1710',
          size * 0.1,
        ),
      ].join('')
    })
    .join('')
}

/** Draws strings of light across the water and along the banks, with a moving spark on each string. */
function garlands(t: number) {
  const ridge = (side: number, row: number, i = 0): Point => {
    const { x, y, size, tall } = nth(nth(nth(streets, row), side), i)
    return [x, y - size * (tall ? 1.04 : 0.76)]
  }
  const across = count(rows - 2).map((row): [Point, Point] => [ridge(row % 2, row + 1), ridge(1 - (row % 2), row + 2)])
  const along = [2, 4, 6].flatMap((row) =>
    [0, 1].map((side): [Point, Point] => [ridge(side, row), ridge(side, row, 1)]),
  )
  return [...across, ...along]
    .map(([from, to], i) => garland(from, to, turn(t + i * 0.37), 2 * swing(t, 1, i * 0.3)))
    .join('')
}

function garland(from: Point, to: Point, spark: number, sway: number) {
  const long = Math.hypot(to[0] - from[0], to[1] - from[1])
  const at = (k: number): Point => [
    mix(from[0], to[0], k) + sway * Math.sin(Math.PI * k),
    mix(from[1], to[1], k) + 0.5 * long * k * (1 - k),
  ]
  const bulbs = count(7).map((i) => disc(...at((i + 1) / 8), 1.2 + long / 240, '#f7c98a'))
  const [x, y] = at(ease(spark, 0.05, 0.95))
  const shine = visit(spark, 0.25)
  return [
    stroke(curve(count(9).map((i) => at(i / 8))), '#c9a468', 1.2, 'opacity=".8"'),
    ...bulbs,
    disc(x, y, 12 + long / 14, 'url(#light)', undefined, `opacity="${shine}"`),
    disc(x, y, 2.4 + long / 160, '#fff2d2', undefined, `opacity="${shine}"`),
  ].join('')
}
