// The shop front at nightfall: the noren and the lantern move in the wind, and a pot steams on the bench.
import {
  box,
  count,
  curve,
  disc,
  ease,
  glow,
  group,
  lines,
  nth,
  type Point,
  shape,
  sheet,
  stroke,
  swing,
  wash,
} from './drawing.ts'

export const seconds = 8
export const fps = 24

const defs = `<defs>${[
  wash('wall', '#2a1d17 0, #4a3323 0.55, #2b1c15 1'),
  wash('spill', '#d98a45 0 0, #d98a45 1 0.28', 'x2="1"'),
  wash('fence', '#130d0b 0 0.1, #130d0b 1 0.7'),
  wash('door', '#e0832f 0, #f6b25c 0.3, #ffd796 0.75, #f2a950 1'),
  wash('window', '#c66a2a 0, #eda04c 0.5, #d98436 1'),
  wash('stone', '#3b332e 0, #1b1a1c 1'),
  wash('shine', '#ffca7c 0 0.75, #e58b3a 1 0'),
  wash('cloth', '#651f14 0, #8a2f1e 0.22, #9f3b25 0.7, #b04a2c 1'),
  wash('paper', '#f09a45 0, #ffd995 0.35, #ffedc2 0.6, #f3a651 1'),
  wash('shadow', '#120c0a 0 0.75, #120c0a 1 0'),
  glow('lamp', '#ffb258', 0.75),
  wash('wisp', '#f4e6d0 0 0, #f4e6d0 0.45 0.5, #f4e6d0 0.9 0.85, #f4e6d0 1 0.2'),
  '<filter id="soft" x="-30%" width="160%"><feGaussianBlur stdDeviation="5"/></filter>',
].join('')}</defs>`

const panels = 5
const cloth = { left: 352, top: 176, wide: 115, long: 238 }
const folds = [-0.25, 0.25, 0.75, 1.25]
const down = count(13).map((i) => i / 12)

const front = [wall(), door(), lattice(), eaves(), ground()].join('')

/** Draws the shop front at the time t of the loop (0 to 1). */
export function frame(t: number): string {
  return sheet(defs, front, bench(t), noren(t), lantern(t))
}

function wall() {
  const boards = count(7).map((i) => box(0, 468 + i * 20, 330, 1.5, '#1a110d'))
  return [
    box(0, 0, 1280, 720, '#15100e'),
    box(0, 140, 330, 480, 'url(#wall)'),
    box(0, 462, 330, 150, '#2a1b14'),
    ...boards,
    box(150, 140, 180, 480, 'url(#spill)'),
    kakehana(),
    box(950, 140, 330, 480, 'url(#wall)'),
  ].join('')
}

/** Draws a bamboo vase with one camellia on the wall. */
function kakehana() {
  const leaf = (x: number, y: number, angle: number, fill: string) =>
    shape('M0 0Q14 -13 34 -6Q20 9 0 0Z', fill, `transform="translate(${x} ${y}) rotate(${angle})"`)
  return [
    stroke('M262 350Q268 318 250 286Q244 274 226 262', '#2c2113', 3.5),
    leaf(262, 318, -28, '#50602f'),
    leaf(254, 296, 205, '#39472a'),
    leaf(248, 284, -62, '#66753a'),
    leaf(238, 270, 190, '#455430'),
    disc(222, 258, 15, '#8f2f22', 13),
    shape('M208 255Q222 262 236 255Q234 271 222 271Q210 271 208 255Z', '#b04a34'),
    disc(222, 253, 5, '#e2b860', 3.5),
    box(254, 346, 18, 70, '#7d6a3d', 'rx="2"'),
    box(266, 346, 6, 70, '#a98f55', 'rx="2"'),
    box(253, 380, 20, 3, '#54462a'),
    disc(263, 346, 9, '#2c2113', 3),
  ].join('')
}

function door() {
  const bars = count(31).map((i) => box(338 + i * 20, 150, 7, 460, '#331b10'))
  const rails = [144, 268, 430].map((y) => box(330, y, 620, 11, '#2b160d'))
  return [
    box(330, 140, 620, 480, 'url(#door)'),
    ...bars,
    ...rails,
    box(632, 150, 16, 470, '#24120b'),
    box(330, 548, 620, 70, '#2b160d'),
    ...[340, 656].map((x) => box(x, 560, 284, 40, '#3a2012') + box(x, 560, 284, 2, '#5b361f')),
    box(318, 130, 22, 490, '#1d110c'),
    box(940, 130, 22, 490, '#1d110c'),
  ].join('')
}

function lattice() {
  const bars = count(16).map((i) => box(1016 + i * 16, 196, 8, 250, '#25140d'))
  return [
    box(1004, 186, 276, 270, '#1d110c'),
    box(1016, 196, 264, 250, 'url(#window)'),
    ...bars,
    box(1004, 312, 276, 8, '#1d110c'),
    box(996, 452, 284, 12, '#22140e'),
    ...count(24).map(fencePole),
    stroke('M962 506H1280M962 560H1280', '#3d3320', 4),
    box(954, 474, 326, 150, 'url(#fence)'),
  ].join('')
}

/** Draws one split pole of the inuyarai, the curved bamboo skirt below the window. */
function fencePole(i: number) {
  const x = 966 + i * 13.4
  return stroke(`M${x} 474Q${x + 1} 560 ${x - 8} 622`, nth(['#7a6238', '#634f2e', '#705a34'], i), 10)
}

function eaves() {
  return [
    box(0, 112, 1280, 36, '#1a100c'),
    box(0, 148, 1280, 60, 'url(#shadow)'),
    box(0, 84, 1280, 30, '#120d0c'),
    ...count(27).map((i) => box(i * 48 + 6, 84, 16, 30, '#3a2417')),
    box(0, 0, 1280, 86, '#1b2028'),
    ...count(27).map((i) => shape(`M${i * 48 - 10} 0H${i * 48 + 14}V62H${i * 48 - 10}Z`, '#262d37')),
    ...count(27).map((i) =>
      shape(`M${i * 48 + 14} 58Q${i * 48 + 26} 82 ${i * 48 + 38} 58V88H${i * 48 + 14}Z`, '#12161c'),
    ),
    ...count(27).map((i) => disc(i * 48 + 2, 68, 17, '#323a45') + disc(i * 48 + 2, 68, 11, '#1d232b')),
  ].join('')
}

function ground() {
  const slab = (row: number, i: number) => {
    const [top, bottom] = row === 0 ? [654, 680] : [680, 720]
    const x = (i - 8) * 96 + row * 48
    const spread = (y: number) => 640 + x * (1 + (y - 654) / 240)
    return lines(
      [
        [spread(top), top],
        [spread(bottom), bottom],
      ],
      '',
    )
  }
  const joints = [0, 1]
    .map((row) =>
      count(17)
        .map((i) => slab(row, i))
        .join(''),
    )
    .join('')
  return [
    box(0, 616, 1280, 104, 'url(#stone)'),
    shape('M330 654H950L1016 720H264Z', 'url(#shine)', 'opacity=".8"'),
    stroke(`${joints}M0 680H1280`, '#14100e', 2.5, 'opacity=".75"'),
    box(286, 608, 708, 46, '#55473d'),
    box(286, 608, 708, 7, '#b98a58'),
    box(286, 646, 708, 8, '#251e1b'),
    salt(306),
    salt(974),
  ].join('')
}

/** Draws the morijio, a small cone of salt beside the entrance. */
function salt(x: number) {
  return (
    disc(x, 611, 17, '#2b211c', 4) + shape(`M${x - 12} 610L${x} 586L${x + 12} 610Q${x} 614 ${x - 12} 610Z`, '#efe4d0')
  )
}

function noren(t: number) {
  const rod = box(330, 163, 620, 9, '#b08d52', 'rx="4"') + box(330, 169, 620, 3, '#6e5430', 'rx="1"')
  const nodes = [420, 560, 735, 880].map((x) => box(x, 162, 4, 11, '#7c6036')).join('')
  return (
    rod +
    nodes +
    count(panels)
      .map((panel) => strip(t, panel))
      .join('')
  )
}

/** Draws one strip of the noren, with its folds and hem. */
function strip(t: number, panel: number) {
  const bend = (x: number, y: number) => hang(t, panel, x, y)
  const across = count(13).map((i) => i / 12)
  const left = down.map((y) => bend(0, y))
  const right = down.map((y) => bend(1, y)).reverse()
  const hem = across.map((x) => bend(x, 1))
  const outline = `${curve(left)}${curve(hem).replace('M', 'L')}${curve(right).replace('M', 'L')}Z`
  return [
    `<clipPath id="p${panel}"><path d="${outline}"/></clipPath>`,
    ...[0.12, 0.5, 0.88].map((x) => box(cloth.left + (panel + x) * cloth.wide - 7, 160, 14, 20, '#5a1b11')),
    group(
      `clip-path="url(#p${panel})"`,
      shape(outline, 'url(#cloth)'),
      ...folds.map((fold) => crease(t, panel, fold, '#4a140c', 0.42)),
      ...folds.map((fold) => crease(t, panel, fold + 0.19, '#e0784a', 0.24)),
      stroke(curve(across.map((x) => bend(x, 0.97))), '#5a1b11', 2, 'opacity=".6"'),
    ),
  ].join('')
}

/** Draws a fold, which has no width at the rod and its full width at the hem. */
function crease(t: number, panel: number, fold: number, colour: string, strength: number) {
  const middle = fold + foldShift(t, panel)
  const edge = (side: number) => down.map((y) => hang(t, panel, middle + side * 0.12 * y ** 1.6, y))
  return shape(`${curve(edge(-1))}${curve(edge(1).reverse()).replace('M', 'L')}Z`, colour, `opacity="${strength}"`)
}

function foldShift(t: number, panel: number) {
  return 0.1 * swing(t, 1, panel * 0.23) + 0.04 * swing(t, 2, panel * 0.4)
}

/**
 * Returns a point of the cloth. x runs across a strip, and y from the rod (0) to the hem (1). The free end moves most
 * and latest.
 */
function hang(t: number, panel: number, x: number, y: number): Point {
  const along = panel + x
  const wind = 0.65 + 0.35 * swing(t, 1, 0.1)
  const out = y ** 1.7 * (26 * wind * swing(t, 2, 0.1 * along + 0.16 * y) + 9 * swing(t, 3, 0.21 * along + 0.1 * y) + 8)
  const fold = y ** 1.4 * 6 * Math.cos(4 * Math.PI * (x - foldShift(t, panel)))
  const aside =
    y ** 1.6 * (10 * wind + 13 * wind * swing(t, 2, 0.06 * along + 0.12 * y - 0.2) + 4 * swing(t, 3, 0.3 * panel))
  const gathered = 0.5 + (x - 0.5) * (1.01 - 0.08 * Math.max(0, y - 0.25))
  return [cloth.left + (panel + gathered) * cloth.wide + aside, cloth.top + y * cloth.long - 0.4 * out - fold]
}

function lantern(t: number) {
  const lean = 3.2 * swing(t, 2, 0.12) + 1.2 * swing(t, 1)
  const ribs = count(9).map((i) => {
    const y = 228 + i * 15
    const half = 50 * Math.sqrt(1 - ((y - 288) / 84) ** 2)
    return stroke(`M${975 - half} ${y}Q975 ${y + 7} ${975 + half} ${y}`, '#b5662a', 1.6, 'opacity=".7"')
  })
  return group(
    `transform="rotate(${lean} 975 112)"`,
    disc(975, 288, 250, 'url(#lamp)'),
    stroke('M975 108V212', '#0f0b0a', 3),
    disc(975, 288, 50, 'url(#paper)', 76),
    ...ribs,
    shape(
      'M925 288Q926 276 929 264Q975 276 1021 264Q1024 276 1025 288Q1024 300 1021 312Q975 324 929 312Q926 300 925 288Z',
      '#983a25',
    ),
    box(953, 206, 44, 14, '#18110e', 'rx="2"'),
    box(957, 356, 36, 12, '#18110e', 'rx="2"'),
    stroke('M975 368V398', '#983a25', 3),
    shape('M970 396H980L983 424H967Z', '#983a25'),
  )
}

function bench(t: number) {
  const legs = [52, 250].map((x) => box(x, 556, 14, 84, '#1c110b') + box(x, 556, 4, 84, '#4a2f1d'))
  return [
    disc(162, 641, 150, '#120d0b', 9, 'opacity=".6"'),
    ...legs,
    box(60, 592, 200, 8, '#1c110b'),
    box(28, 540, 264, 18, '#5a3a24'),
    box(28, 540, 264, 5, '#8d6038'),
    shape('M44 540H214V568Q171 576 129 568T44 568Z', '#7e2a1b'),
    box(44, 540, 170, 4, '#b04a2c'),
    pot(),
    steam(t),
    cat(t),
  ].join('')
}

/** Draws a donabe on its tray, lit from the door. */
function pot() {
  return [
    box(62, 533, 136, 8, '#2a1711'),
    box(62, 533, 136, 2, '#6b3c28'),
    shape('M80 492Q82 526 108 533H152Q178 526 180 492Z', '#6a4c3a'),
    shape('M150 492H180Q178 526 152 533H136Q152 520 150 492Z', '#96704f'),
    shape('M80 492Q82 505 85 511H175Q178 505 180 492Z', '#39291f', 'opacity=".8"'),
    shape('M58 488H84V500H66Q58 498 58 488ZM202 488H176V500H194Q202 498 202 488Z', '#4c372b'),
    box(76, 485, 108, 9, '#8b6749', 'rx="4"'),
    box(76, 485, 60, 9, '#54402f', 'rx="4"'),
    shape('M84 485Q92 461 130 459Q168 461 176 485Z', '#6a4c3a'),
    shape('M130 459Q168 461 176 485H146Q150 468 130 459Z', '#a57b55'),
    shape('M117 460L120 447H140L143 460Z', '#54402f'),
    shape('M130 447H140L143 460H130Z', '#8b6749'),
  ].join('')
}

/** Draws three wisps of steam that rise, widen and fade. Their waves rise a whole number of times per loop. */
function steam(t: number) {
  const wisp = (late: number, x: number, high: number, strength: number) => {
    const edge = (side: number) =>
      count(21).map((i): Point => {
        const s = i / 20
        const sway = (6 + 34 * s) * s * swing(0.9 * s, 1, t + late) + 26 * s * s * (0.5 + 0.5 * swing(t, 1, late))
        const puff = 1 + 0.45 * swing(2.2 * s, 1, 2 * t + late)
        const half = (3 + 20 * s) * puff * (1 - ease(s, 0.72, 1))
        return [x + sway + side * half, 478 - high * s]
      })
    return shape(
      `${curve(edge(-1))}${curve(edge(1).reverse()).replace('M', 'L')}Z`,
      'url(#wisp)',
      `opacity="${strength}"`,
    )
  }
  return group('filter="url(#soft)"', wisp(0, 92, 250, 0.5), wisp(0.37, 128, 320, 0.6), wisp(0.71, 166, 220, 0.45))
}

/** Draws a white cat that looks at the street. Only its tail moves. */
function cat(t: number) {
  const lift = 8 * swing(t, 2) + 5 * swing(t, 3, 0.3)
  const tail = curve([
    [262, 534],
    [282, 540],
    [290, 566],
    [286 + lift * 0.4, 590],
    [272 + lift, 604],
  ])
  return [
    stroke(tail, '#e9dcc6', 9, 'stroke-linecap="round"'),
    shape(
      'M224 540Q220 506 236 490Q232 478 236 462L246 470Q252 468 258 470L268 462Q272 478 266 490Q282 508 276 540Z',
      '#efe4d0',
    ),
    shape('M258 470L268 462Q272 478 266 490Q282 508 276 540H262Q270 508 254 488Z', '#c9a679'),
    shape('M236 462L246 470Q240 476 235 478Q234 470 236 462Z', '#4a372c'),
  ].join('')
}
