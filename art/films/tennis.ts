// A tennis court from above on a bright morning. A ball flies between players outside the image, and bamboo shadows
// sway.
import {
  box,
  count,
  curve,
  disc,
  ease,
  group,
  lines,
  mix,
  n,
  nth,
  type Point,
  scatter,
  shape,
  sheet,
  stroke,
  swing,
  turn,
  wash,
} from './drawing.ts'

export const seconds = 8
export const fps = 24

// Coordinates in metres: x across the court, y along it, z up. The net stands at y = 0.
type Vector = [x: number, y: number, z: number]
type Place = [x: number, y: number, z?: number]
type Shot = { from: Place; bounce: Place; to: Place }

const eye: Vector = [-15.5, -9, 13.5]
const ahead = unit([16.2, 9.6, -13.7])
const aside = unit([ahead[1], -ahead[0], 0])
const above: Vector = [aside[1] * ahead[2], -aside[0] * ahead[2], aside[0] * ahead[1] - aside[1] * ahead[0]]
const sun: Point = [-0.75, -0.5]

const rally: Shot[] = [
  { from: [1.5, -10.5, 0.9], bounce: [-2.2, 6.2], to: [-4, 12.6, 0.9] },
  { from: [-4, 12.6, 0.9], bounce: [2.4, -5.4], to: [3, -10.5, 0.9] },
  { from: [3, -10.5, 0.9], bounce: [0.2, 6.8], to: [-1.8, 12.6, 0.9] },
  { from: [-1.8, 12.6, 0.9], bounce: [0.4, -5], to: [1.5, -10.5, 0.9] },
]

const defs = `<defs>${wash('light', '#fff3c4 0 0.34, #fff3c4 0.5 0.06, #123c2c 1 0.3')}</defs>`

const court = [
  box(0, 0, 1280, 720, '#9dbb6c'),
  flat(rectangle(-9, -18.5, 9.3, 18.5), '#3f7f5c'),
  flat(rectangle(-5.485, -11.885, 5.485, 11.885), '#7db164'),
  marks(),
  box(0, 0, 1280, 720, 'url(#light)'),
].join('')
const garden = [...hedge(), bench(), racket()].join('')

/** Draws the court at the time t of the loop (0 to 1). */
export function frame(t: number): string {
  const played = turn(t + 0.075)
  const place = ballAt(played)
  const behindNet = place[1] > 0
  return sheet(
    defs,
    court,
    netShadow(),
    bamboo(t),
    garden,
    bounceMark(played),
    ballShadow(place),
    behindNet ? ball(place) + net(t) : net(t) + ball(place),
  )
}

function unit([x, y, z]: Vector): Vector {
  const long = Math.hypot(x, y, z)
  return [x / long, y / long, z / long]
}

/** Projects a point of the court into the frame. */
function seen([x, y, z = 0]: Place): Point {
  const from: Vector = [x - eye[0], y - eye[1], z - eye[2]]
  const along = (axis: Vector) => axis[0] * from[0] + axis[1] * from[1] + axis[2] * from[2]
  return [630 + (1560 * along(aside)) / along(ahead), 350 - (1560 * along(above)) / along(ahead)]
}

function flat(places: Place[], fill: string, more = '') {
  return shape(lines(places.map(seen)), fill, more)
}

function rectangle(x1: number, y1: number, x2: number, y2: number): Place[] {
  return [
    [x1, y1],
    [x2, y1],
    [x2, y2],
    [x1, y2],
  ]
}

function marks() {
  const long = [-5.485, -4.115, 4.115, 5.485].map((x) => rectangle(x - 0.05, -11.885, x + 0.05, 11.885))
  const across = [-6.4, 6.4].map((y) => rectangle(-4.115, y - 0.05, 4.115, y + 0.05))
  const ends = [-11.885, 11.885].map((y) => rectangle(-5.485, y - 0.08, 5.485, y + 0.08))
  return [...long, ...across, ...ends, rectangle(-0.05, -6.4, 0.05, 6.4)]
    .map((places) => flat(places, '#fbf6e6'))
    .join('')
}

/** Draws clipped azaleas beyond the court, a few of them in flower. */
function hedge() {
  const next = scatter(44)
  const bushes = count(9).map((i) => ({ at: seen([12.6 + 1.2 * (i % 2), 7.5 - i * 2.3]), size: 62 + 26 * next() }))
  return bushes
    .sort((a, b) => a.at[1] - b.at[1])
    .map(({ at: [x, y], size }) => {
      const dome = (k: number, aside: number) =>
        `M${n(x + aside - size * k)} ${n(y)}C${n(x + aside - size * k)} ${n(y - size * 0.95 * k)} ${n(x + aside + size * k)} ${n(y - size * 0.95 * k)} ${n(x + aside + size * k)} ${n(y)}Q${n(x + aside)} ${n(y + size * 0.3 * k)} ${n(x + aside - size * k)} ${n(y)}Z`
      const flowers = count(9).map(() =>
        disc(x + (next() - 0.6) * size * 1.2, y - (0.1 + 0.45 * next()) * size, 3.2, '#e9a3a8', 2.6),
      )
      return (
        disc(x + size * 0.35, y + size * 0.12, size * 1.15, '#2d6045', size * 0.34, 'opacity=".55"') +
        shape(dome(1, 0), '#3f7548') +
        shape(dome(0.78, -size * 0.13), '#5b9255') +
        flowers.join('')
      )
    })
}

/** Draws a bench beside the net, with a towel over its end. */
function bench() {
  const legs: Place[] = [
    [8, -2.4],
    [8.5, -2.4],
    [8, 2.4],
    [8.5, 2.4],
  ]
  return [
    flat(raised(rectangle(7.9, -2.6, 8.6, 2.6), 0.5).map(shadowOf), '#1f4a38', 'opacity=".55"'),
    ...legs.map(([x, y]) => stroke(lines([seen([x, y]), seen([x, y, 0.5])], ''), '#4a2f1d', 5)),
    flat(raised(rectangle(7.9, -2.6, 8.6, 2.6), 0.5), '#c08a55'),
    flat(
      raised(rectangle(7.9, -2.6, 7.9, 2.6), 0.5).map(
        ([x, y, z = 0], i): Place => [x, y, i === 1 || i === 2 ? z - 0.1 : z],
      ),
      '#7a4f2e',
    ),
    flat(raised(rectangle(7.86, 1.2, 8.64, 1.9), 0.52), '#f6f1e7'),
    flat(
      [
        [7.86, 1.2, 0.52],
        [7.86, 1.9, 0.52],
        [7.86, 1.9, 0.1],
        [7.86, 1.2, 0.1],
      ],
      '#ddd3c0',
    ),
  ].join('')
}

/** Draws a racket on the bench. */
function racket() {
  const onSeat = (across: number, along: number) => seen([8.25 + across, -0.7 + along, 0.54])
  const strings = count(7).map((i) => {
    const k = (i - 3) / 4
    const half = Math.sqrt(1 - k * k)
    const long = lines([onSeat(0.26 * k, -0.38 * half), onSeat(0.26 * k, 0.38 * half)], '')
    return long + lines([onSeat(-0.26 * half, 0.38 * k), onSeat(0.26 * half, 0.38 * k)], '')
  })
  const head = count(25).map((i) => onSeat(0.26 * Math.cos((i * Math.PI) / 12), 0.38 * Math.sin((i * Math.PI) / 12)))
  return [
    stroke(strings.join(''), '#fffdf4', 0.8),
    stroke(lines(head) + lines([onSeat(0, -0.38), onSeat(0, -0.7)], ''), '#983a25', 4),
    stroke(lines([onSeat(0, -0.66), onSeat(0, -1.2)], ''), '#211f1c', 6, 'stroke-linecap="round"'),
  ].join('')
}

function raised(places: Place[], z: number): Place[] {
  return places.map(([x, y]) => [x, y, z])
}

/** Returns the point at which the shadow of a point falls. */
function shadowOf([x, y, z = 0]: Place): Place {
  return [x + sun[0] * z, y + sun[1] * z]
}

function netTop(x: number) {
  return 0.93 + 0.14 * Math.abs(x / 6.4) ** 1.5
}

/** Returns a point of the net, which bulges in the wind except at the posts and the ground. */
function bay(t: number, x: number, z: number): Place {
  return [x, 0.12 * swing(t, 2, 0.05 * x) * Math.sin((Math.PI * z) / netTop(x)) * (1 - (x / 6.4) ** 2), z]
}

function net(t: number) {
  const along = count(27).map((i) => -6.4 + (12.8 * i) / 26)
  const row = (k: number) => along.map((x) => seen(bay(t, x, k * netTop(x))))
  const warp = count(65).map((i) => {
    const x = -6.4 + 0.2 * i
    return lines(
      [0, 0.5, 1].map((k) => seen(bay(t, x, k * netTop(x)))),
      '',
    )
  })
  const weft = [0.16, 0.32, 0.48, 0.64, 0.8].map((k) => lines(row(k), ''))
  const tape = [...row(1), ...row(0.92).reverse()]
  const posts = [-6.5, 6.5].map((x) =>
    stroke(lines([seen([x, 0]), seen([x, 0, 1.12])], ''), '#26453a', 8, 'stroke-linecap="round"'),
  )
  return [
    posts[1],
    shape(lines([...row(1), ...row(0).reverse()]), '#1c3a30', 'opacity=".28"'),
    stroke(warp.join('') + weft.join(''), '#17322a', 1, 'opacity=".7"'),
    shape(lines(tape), '#fffdf4'),
    stroke(lines([seen(bay(t, 0, 0)), seen(bay(t, 0, netTop(0)))], ''), '#fffdf4', 4),
    posts[0],
  ].join('')
}

function netShadow() {
  const along = count(27).map((i) => -6.4 + (12.8 * i) / 26)
  const top = along.map((x) => seen(shadowOf([x, 0, netTop(x)])))
  const bottom = along.map((x) => seen([x, 0]))
  const band = along.map((x) => seen(shadowOf([x, 0, 0.9 * netTop(x)])))
  return (
    shape(lines([...top, ...bottom.reverse()]), '#1f4a38', 'opacity=".3"') +
    shape(lines([...top, ...band.reverse()]), '#1f4a38', 'opacity=".4"')
  )
}

/**
 * Returns the position of the ball. Each shot takes a quarter of the loop. The ball crosses the net, bounces after
 * three quarters of its flight, and leaves the image.
 */
function ballAt(t: number): Place {
  const { from, bounce, to } = nth(rally, Math.floor(4 * t))
  const k = turn(4 * t)
  const down = 0.72
  if (k < down) return [...between(from, bounce, k / down), arc(0.9, 2.9, 0, k / down)]
  return [...between(bounce, to, (k - down) / (1 - down)), arc(0, 1.1, 0.9, (k - down) / (1 - down))]
}

function between(a: Place, b: Place, k: number): [number, number] {
  return [mix(a[0], b[0], k), mix(a[1], b[1], k)]
}

/**
 * Returns the height of a throw from `start` to `end` at its share k. In its middle, the throw is `over` above the
 * straight line.
 */
function arc(start: number, over: number, end: number, k: number) {
  return mix(start, end, k) + 4 * over * k * (1 - k)
}

function ballShadow([x, y, z = 0]: Place) {
  const ring = count(13).map(
    (i): Place => [
      x + sun[0] * z + 0.15 * Math.cos((i * Math.PI) / 6),
      y + sun[1] * z + 0.15 * Math.sin((i * Math.PI) / 6),
    ],
  )
  return flat(ring, '#123c2c', `opacity="${n(0.6 - 0.08 * z)}"`)
}

/** Draws the ball at twice its size, so that it is visible. */
function ball([x, y, z = 0]: Place) {
  const [bx, by] = seen([x, y, z + 0.13])
  const r = by - seen([x, y, z + 0.28])[1]
  return [
    disc(bx, by, r, '#d3da52'),
    disc(bx - r * 0.16, by - r * 0.2, r * 0.76, '#eff386'),
    stroke(
      `M${n(bx - r * 0.85)} ${n(by - r * 0.35)}Q${n(bx)} ${n(by + r * 0.5)} ${n(bx + r * 0.9)} ${n(by - r * 0.2)}`,
      '#fffdf0',
      r * 0.18,
    ),
  ].join('')
}

/** Draws a ring of dust that widens at the bounce of the ball. */
function bounceMark(t: number) {
  const k = turn(4 * t)
  if (k < 0.72) return ''
  const age = (k - 0.72) / 0.28
  const { bounce } = nth(rally, Math.floor(4 * t))
  const ring = count(19).map(
    (i): Place => [
      bounce[0] + (0.2 + 0.6 * age) * Math.cos((i * Math.PI) / 9),
      bounce[1] + (0.2 + 0.6 * age) * Math.sin((i * Math.PI) / 9),
    ],
  )
  return stroke(lines(ring.map(seen)), '#fffbe6', 3 * (1 - age), `opacity="${n(1 - ease(age))}"`)
}

/** Draws the shadows of bamboo outside the image, with stalks and hanging leaves. */
function bamboo(t: number) {
  const next = scatter(12)
  const stalks: [Place, Place][] = [
    [
      [14.6, 15.2],
      [2.6, 7.2],
    ],
    [
      [13.5, 9.6],
      [1.2, 1.4],
    ],
    [
      [14, 12.6],
      [5.2, 6.7],
    ],
    [
      [14, 7.4],
      [5.6, 1.8],
    ],
    [
      [6, 17.6],
      [-4.4, 10.7],
    ],
    [
      [14, -1],
      [6.5, -6],
    ],
  ]
  return group('opacity=".3"', ...stalks.map(([root, tip]) => stalk(t, root, tip, next)))
}

function stalk(t: number, root: Place, tip: Place, next: () => number) {
  const late = next()
  const at = (k: number): Place => {
    const bend = k * k * (0.35 * swing(t, 1, late) + 0.12 * swing(t, 2, late + 0.2 * k))
    const [x, y] = between(root, tip, k)
    return [x + 0.4 * bend, y + bend]
  }
  const leaves = count(30).map(() => {
    const k = 0.25 + 0.75 * next()
    const [x, y] = at(k)
    const angle = Math.atan2(tip[1] - root[1], tip[0] - root[0]) + (next() - 0.5) * 2.4 + 0.12 * swing(t, 2, next())
    return leaf(x, y, angle, 1 + 1.1 * next())
  })
  return stroke(curve(count(7).map((i) => seen(at(i / 6)))), '#123c2c', 5) + shape(leaves.join(''), '#123c2c')
}

/** Returns path data of a slender leaf that lies on the court. */
function leaf(x: number, y: number, angle: number, long: number) {
  const [c, s] = [Math.cos(angle), Math.sin(angle)]
  const along = (k: number, wide: number): Place => [x + long * (k * c - wide * s), y + long * (k * s + wide * c)]
  return lines(
    [along(0, 0), along(0.25, 0.1), along(0.55, 0.08), along(1, 0), along(0.55, -0.08), along(0.25, -0.1)].map(seen),
  )
}
