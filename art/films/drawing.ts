// Shared helpers of the films. Each frame is an SVG of 1280x720, and all motion is periodic in t, 0 ≤ t < 1.
export type Point = [x: number, y: number]

/** Returns a whole frame from its parts, in order from back to front. */
export function sheet(...parts: string[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="1280" height="720" viewBox="0 0 1280 720">${parts.join('')}</svg>`
}

/**
 * Returns a sine wave between -1 and 1 with `times` periods per loop. `late` (0 to 1) delays the wave by this share of
 * a period.
 */
export function swing(t: number, times = 1, late = 0): number {
  return Math.sin(2 * Math.PI * (times * t - late))
}

/** Returns a smooth step that rises from 0 at `from` to 1 at `to`. */
export function ease(x: number, from = 0, to = 1): number {
  const k = Math.min(1, Math.max(0, (x - from) / (to - from)))
  return k * k * (3 - 2 * k)
}

/** Returns the fractional part of a number. The result is at least 0, even for a negative number. */
export function turn(x: number): number {
  return x - Math.floor(x)
}

export function mix(a: number, b: number, k: number): number {
  return a + (b - a) * k
}

/** Returns the integers from 0 to n - 1. */
export function count(n: number): number[] {
  return Array.from({ length: n }, (_, i) => i)
}

/** Returns the i-th item of a list that repeats. */
export function nth<T>(list: readonly T[], i: number): T {
  return list[i % list.length] as T
}

/** Returns a pseudorandom number between 0 and 1 that depends only on the seed. */
export function scatter(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1664525 + 1013904223) % 4294967296
    return state / 4294967296
  }
}

/** Rounds a number to a tenth of a pixel, so that frames stay small. */
export function n(x: number): string {
  return String(Math.round(x * 10) / 10)
}

function at([x, y]: Point): string {
  return `${n(x)} ${n(y)}`
}

/** Returns path data of straight lines through the points. */
export function lines(points: Point[], end = 'Z'): string {
  return `M${points.map(at).join('L')}${end}`
}

/** Returns path data of one smooth curve through all points (Catmull-Rom). */
export function curve(points: Point[], end = ''): string {
  const steps = points.slice(1).map((to, i) => {
    const from = nth(points, i)
    const before = points[i - 1] ?? from
    const after = points[i + 2] ?? to
    const leave: Point = [from[0] + (to[0] - before[0]) / 6, from[1] + (to[1] - before[1]) / 6]
    const arrive: Point = [to[0] - (after[0] - from[0]) / 6, to[1] - (after[1] - from[1]) / 6]
    return `C${at(leave)} ${at(arrive)} ${at(to)}`
  })
  return `M${at(nth(points, 0))}${steps.join('')}${end}`
}

export function shape(d: string, fill: string, more = ''): string {
  return `<path d="${d}" fill="${fill}" ${more}/>`
}

export function stroke(d: string, colour: string, width: number, more = ''): string {
  return `<path d="${d}" fill="none" stroke="${colour}" stroke-width="${n(width)}" ${more}/>`
}

export function box(x: number, y: number, w: number, h: number, fill: string, more = ''): string {
  return `<rect x="${n(x)}" y="${n(y)}" width="${n(w)}" height="${n(h)}" fill="${fill}" ${more}/>`
}

export function disc(x: number, y: number, rx: number, fill: string, ry = rx, more = ''): string {
  return `<ellipse cx="${n(x)}" cy="${n(y)}" rx="${n(rx)}" ry="${n(ry)}" fill="${fill}" ${more}/>`
}

export function group(more: string, ...parts: string[]): string {
  return `<g ${more}>${parts.join('')}</g>`
}

/**
 * Returns a gradient (bokashi), downwards by default. Each stop has a colour, an offset and an opacity: `#2a1d17 0,
 * #2b1c15 1 0.5`.
 */
export function wash(id: string, stops: string, direction = 'x2="0" y2="1"'): string {
  const marks = stops.split(', ').map((stop) => {
    const [colour, place, opacity = 1] = stop.split(' ')
    return `<stop stop-color="${colour}" offset="${place}" stop-opacity="${opacity}"/>`
  })
  return `<linearGradient id="${id}" ${direction}>${marks.join('')}</linearGradient>`
}

/** Returns the glow around a lamp, which is opaque in the centre and transparent at the edge. */
export function glow(id: string, colour: string, strength: number): string {
  const marks = [
    [0, 1],
    [0.25, 0.55],
    [0.6, 0.14],
    [1, 0],
  ].map(([place, k = 0]) => `<stop stop-color="${colour}" offset="${place}" stop-opacity="${k * strength}"/>`)
  return `<radialGradient id="${id}">${marks.join('')}</radialGradient>`
}

/** Returns the opacity of an object that fades in, stays and fades out again in each period. */
export function visit(k: number, soft = 0.2): number {
  return ease(k, 0, soft) * (1 - ease(k, 1 - soft, 1))
}
