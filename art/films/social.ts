// Evening traffic: a train on the viaduct, a bus on the bridge, and bicycles along the river.
import {
  box,
  count,
  curve,
  disc,
  glow,
  group,
  lines,
  n,
  nth,
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

// At the end of a loop, each vehicle has the position in which the vehicle ahead of it began the loop.
const train = { deck: 366, car: 132, cars: 3, apart: 1000 }
const bus = { apart: 900, long: 128 }
const bicycle = { path: 684, apart: 440, wheel: 23 }
const water = { top: 452, bottom: 644 }

const defs = `<defs>${[
  wash('sky', '#121a30 0, #3a4366 0.45, #a3686a 0.8, #e0965f 1'),
  wash('far', '#4b4a6a 0, #6b5468 1'),
  wash('middle', '#2c3350 0, #373a54 1'),
  wash('water', '#23283e 0, #3a3d58 0.12, #7d6070 0.4, #46506e 0.62, #1c2740 1'),
  wash('bank', '#161c26 0, #0c0f15 1'),
  wash('ray', '#ffe2a6 0 0.6, #ffe2a6 1 0', 'x2="1"'),
  wash('back', '#ffe2a6 0 0, #ffe2a6 1 0.6', 'x2="1"'),
  glow('light', '#ffc878', 0.8),
].join('')}</defs>`

const distance = [sky(), hills(), box(0, water.top, 1280, water.bottom - water.top, 'url(#water)')].join('')
const spans = [viaduct()].join('')

/** Draws the evening at the time t of the loop (0 to 1). */
export function frame(t: number): string {
  return sheet(
    defs,
    distance,
    reflections(t),
    trains(t),
    spans,
    ripples(t),
    bridge(),
    buses(t),
    railing(),
    bankside(),
    cyclists(t),
    grasses(t),
  )
}

function sky() {
  const next = scatter(11)
  const stars = count(40).map(() =>
    disc(next() * 1280, next() * 190, 0.7 + next(), '#f5e6c8', undefined, `opacity="${n(0.3 + 0.5 * next())}"`),
  )
  return [
    box(0, 0, 1280, 460, 'url(#sky)'),
    ...stars,
    shape('M1022 66A46 46 0 1 1 974 142A40 40 0 0 0 1022 66Z', '#f6e7c4'),
  ].join('')
}

function hills() {
  const next = scatter(5)
  const windows = count(80).map(() => {
    const x = next() * 1280
    return box(x, 404 + 40 * next(), 3 + 3 * next(), 4, next() > 0.3 ? '#ffcb80' : '#e6905a', 'opacity=".85"')
  })
  return [
    hill([322, 262, 248, 288, 268, 204, 190, 232, 284, 262, 236, 252, 290], 'url(#far)'),
    hill([352, 324, 312, 330, 356, 352, 338, 350, 332, 306, 304, 322, 340], 'url(#middle)'),
    hill([412, 400, 398, 408, 404, 398, 402, 412, 406, 398, 400, 408, 404], '#1f2438'),
    ...windows,
  ].join('')
}

/** Draws a ridge line from its heights at every 110 pixels. */
function hill(heights: number[], fill: string) {
  return shape(`${curve(heights.map((y, i): Point => [i * 110 - 20, y]))}V470H-20Z`, fill)
}

function trains(t: number) {
  return count(3)
    .map((i) =>
      group(
        `transform="translate(${n((i - 1 + t) * train.apart + 60)} ${train.deck})"`,
        ...count(train.cars).map((car) => carriage(-car * (train.car + 4), car === 0)),
      ),
    )
    .join('')
}

/** Draws one carriage with its front at x. The first carriage has the lamp. */
function carriage(x: number, first: boolean) {
  const windows = count(6).map((i) => box(x - train.car + 12 + i * 19, -36, 14, 14, '#ffdb9a'))
  return [
    first ? shape(`M${x} -16L${x + 260} -34V10Z`, 'url(#ray)') : '',
    shape(
      `M${x - train.car} -4V-44Q${x - train.car} -50 ${x - train.car + 6} -50H${x - (first ? 16 : 6)}Q${x} -48 ${x} ${first ? -26 : -44}V-4Z`,
      '#7d2c20',
    ),
    box(x - train.car, -18, train.car, 5, '#ecd9b4'),
    ...windows,
    box(x - train.car + 18, -54, train.car - 40, 4, '#3c1a18'),
    box(x - train.car + 14, -4, 26, 5, '#12141d'),
    box(x - 44, -4, 26, 5, '#12141d'),
    first ? disc(x - 2, -14, 5, '#fff4d8') : '',
  ].join('')
}

function viaduct() {
  const arches = count(12).map(
    (i) => `M${i * 116 - 40} ${water.top + 10}V408A44 32 0 0 1 ${i * 116 + 48} 408V${water.top + 10}Z`,
  )
  return [
    shape(`M-60 ${train.deck}H1340V${water.top + 10}H-60Z${arches.join('')}`, '#262a3d', 'fill-rule="evenodd"'),
    box(-10, train.deck - 2, 1300, 5, '#6a5a68'),
    ...count(12).map((i) => stroke(`M${i * 116 - 41} 409A45 33 0 0 1 ${i * 116 + 49} 409`, '#454459', 3)),
    ...count(9).map((i) => stroke(`M${i * 160 + 30} ${train.deck}V${train.deck - 84}H${i * 160 + 58}`, '#1b1e2e', 3)),
    stroke(`M0 ${train.deck - 78}H1280`, '#1b1e2e', 1.2),
  ].join('')
}

/** Draws the reflections of the train windows and the bus lights, stretched downwards in the water. */
function reflections(t: number) {
  const fronts = count(3).map((i) => (i - 1 + t) * train.apart + 60)
  const strips = fronts.flatMap((front) =>
    count(train.cars).flatMap((car) => count(6).map((i) => front - car * (train.car + 4) - train.car + 12 + i * 19)),
  )
  return strips
    .filter((x) => x > -20 && x < 1300)
    .map((x) => box(x + 2 * swing(t, 3, x / 90), water.top + 14, 11, 62, '#ffcf8e', 'rx="5" opacity=".3"'))
    .join('')
}

function ripples(t: number) {
  const next = scatter(9)
  return count(46)
    .map((i) => {
      const y = water.top + 10 + (water.bottom - water.top) * ((i + 0.5) / 46)
      const half = (14 + 0.34 * (y - water.top)) * (0.8 + 0.3 * swing(t, 1, next()))
      const x = next() * 1280 + 10 * swing(t, 1, next())
      return shape(
        `M${n(x - half)} ${n(y)}Q${n(x)} ${n(y - 3)} ${n(x + half)} ${n(y)}Q${n(x)} ${n(y + 3)} ${n(x - half)} ${n(y)}Z`,
        i % 3 === 0 ? '#e3a070' : '#1d2740',
        'opacity=".35"',
      )
    })
    .join('')
}

/** Returns the height of the deck of the old bridge, which is gently arched. */
function deck(x: number) {
  return 536 - 22 * (1 - ((x - 640) / 680) ** 2)
}

function deckLine(below: number) {
  return curve(count(15).map((i): Point => [i * 100 - 60, deck(i * 100 - 60) + below]))
}

function bridge() {
  const piers = count(7).map((i) => {
    const x = 100 + i * 180
    return (
      box(x - 12, deck(x), 9, 632 - deck(x), '#151219') +
      box(x + 6, deck(x), 9, 632 - deck(x), '#1d1820') +
      box(x - 18, deck(x) + 40, 40, 7, '#1d1820')
    )
  })
  return [
    ...piers,
    shape(
      `${deckLine(0)}${curve(count(15).map((i): Point => [1340 - i * 100, deck(1340 - i * 100) + 22])).replace('M', 'L')}Z`,
      '#2a1e22',
    ),
    stroke(deckLine(1), '#8a5a48', 2.5),
  ].join('')
}

function railing() {
  const posts = count(15).map((i) => {
    const x = 10 + i * 90
    const y = deck(x)
    return (
      box(x - 4, y - 26, 8, 30, '#33232a') +
      shape(
        `M${x - 5} ${n(y - 26)}H${x + 5}Q${x + 7} ${n(y - 34)} ${x} ${n(y - 41)}Q${x - 7} ${n(y - 34)} ${x - 5} ${n(y - 26)}Z`,
        '#b1904a',
      )
    )
  })
  return [stroke(deckLine(-20), '#33232a', 5), stroke(deckLine(-8), '#33232a', 3), ...posts].join('')
}

function buses(t: number) {
  return count(3)
    .map((i) => {
      const x = 1130 - (i - 1 + t) * bus.apart
      const slope = (180 / Math.PI) * Math.atan((44 * (x - 640)) / 680 ** 2)
      return group(`transform="translate(${n(x)} ${n(deck(x))}) rotate(${n(slope)})"`, busBody())
    })
    .join('')
}

function busBody() {
  const half = bus.long / 2
  return [
    shape(`M${-half + 2} -16L${-half - 190} -24V6L${-half + 2} -8Z`, 'url(#back)'),
    shape(`M${-half} -6V-50Q${-half} -62 ${-half + 12} -62H${half - 6}Q${half} -62 ${half} -56V-6Z`, '#8fa47c'),
    box(-half, -22, bus.long, 16, '#566330'),
    ...count(5).map((i) => box(-half + 26 + i * 20, -52, 16, 20, '#ffe0a4')),
    shape(`M${-half} -30V-50Q${-half + 1} -54 ${-half + 4} -54H${-half + 20}V-30Z`, '#ffe9bd'),
    box(-half + 4, -60, 24, 5, '#f5b45c'),
    disc(-half + 26, -5, 10, '#14141a'),
    disc(half - 28, -5, 10, '#14141a'),
    disc(-half + 2, -13, 4, '#fff6de'),
    box(half - 3, -18, 3, 7, '#c8402c'),
  ].join('')
}

function bankside() {
  return (
    shape('M0 634Q200 614 420 624T860 622T1280 630V720H0Z', 'url(#bank)') +
    stroke(`M0 ${bicycle.path + 2}H1280`, '#3d3a40', 10) +
    stroke(`M0 ${bicycle.path - 2}H1280`, '#5d534e', 1.5)
  )
}

function cyclists(t: number) {
  return count(5)
    .map((i) => group(`transform="translate(${n((i - 1 + t) * bicycle.apart + 150)} ${bicycle.path - 4})"`, cyclist(t)))
    .join('')
}

/**
 * Draws a cyclist. In a loop, the wheels and pedals turn three times and move each cyclist to the position of the
 * cyclist ahead.
 */
function cyclist(t: number) {
  const r = bicycle.wheel
  const angle = 6 * Math.PI * t
  const [saddle, bars, pedals]: [Point, Point, Point] = [
    [-14, -64],
    [30, -66],
    [-2, -r + 1],
  ]
  const spokes = [-34, 38].map((x) =>
    count(3)
      .map((k) => {
        const [c, s] = [Math.cos(angle + (k * Math.PI) / 3) * r, Math.sin(angle + (k * Math.PI) / 3) * r]
        return `M${n(x - c)} ${n(-r - s)}L${n(x + c)} ${n(-r + s)}`
      })
      .join(''),
  )
  return [
    shape(`M40 -56L230 -34V4L150 4Z`, 'url(#ray)', 'opacity=".7"'),
    stroke(spokes.join(''), '#4a4650', 1),
    ...[-34, 38].map((x) => disc(x, -r, r, 'none', r, 'stroke="#6d6468" stroke-width="3"')),
    leg(saddle, pedals, angle + Math.PI, '#1c2333'),
    stroke(
      `M-34 ${-r}L-2 ${-r + 1}L-12 -54L-34 ${-r}M-12 -54L29 -58M-2 ${-r + 1}L29 -58M38 ${-r}L28 -68L36 -70M-20 -60H-6`,
      '#a0452f',
      3.5,
      'stroke-linejoin="round"',
    ),
    leg(saddle, pedals, angle, '#2c3650'),
    stroke('M-14 -66Q-10 -92 6 -102', '#c9b48f', 17, 'stroke-linecap="round"'),
    stroke(`M5 -98Q12 -80 ${bars[0] - 1} -70`, '#c9b48f', 7, 'stroke-linecap="round"'),
    disc(13, -117, 10, '#d9b58c'),
    shape('M2 -119A11 11 0 0 1 24 -121L26 -118H2Z', '#2a2430'),
    disc(40, -57, 4.5, '#fff3d2'),
    disc(40, -57, 26, 'url(#light)'),
    disc(-47, -36, 3, '#d9472f'),
  ].join('')
}

/** Draws a leg between the hip and the pedal. The knee bends forwards. */
function leg([hipX, hipY]: Point, [x, y]: Point, angle: number, colour: string) {
  const foot: Point = [x + 10 * Math.cos(angle), y + 10 * Math.sin(angle)]
  const [dx, dy] = [foot[0] - hipX, foot[1] - hipY]
  const away = Math.sqrt(Math.max(0, 29 ** 2 - (dx * dx + dy * dy) / 4)) / Math.hypot(dx, dy)
  const knee: Point = [hipX + dx / 2 + dy * away, hipY + dy / 2 - dx * away]
  return stroke(
    lines([[hipX, hipY], knee, foot, [foot[0] + 7, foot[1] + 1]], ''),
    colour,
    8,
    'stroke-linejoin="round" stroke-linecap="round"',
  )
}

/** Draws pampas grass on the near side of the path. */
function grasses(t: number) {
  const next = scatter(31)
  return count(30)
    .map((i) => {
      const x = i < 17 ? next() * 300 - 20 : 990 + next() * 300
      const high = 70 + 80 * next()
      const lean = high * (0.36 + 0.07 * swing(t, 2, x / 900) + 0.03 * swing(t, 3, next()))
      const stalk = (k: number): Point => [x + lean * k * k, 726 - high * (k - 0.2 * k ** 4)]
      const plume = (side: number) =>
        count(7).map((j): Point => {
          const [px, py] = stalk(0.64 + 0.075 * j)
          return [px + 3 * side * Math.sin((Math.PI * j) / 6), py + 6.5 * side * Math.sin((Math.PI * j) / 6)]
        })
      const feather = `${curve(plume(-1))}${curve(plume(1).reverse()).replace('M', 'L')}Z`
      return (
        stroke(curve([0, 0.3, 0.6, 0.8].map(stalk)), '#2f2d29', 2) +
        shape(feather, nth(['#b09a78', '#8d7a63', '#776752'], i))
      )
    })
    .join('')
}
