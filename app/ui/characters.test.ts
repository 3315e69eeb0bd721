import { describe, expect, test } from 'vitest'
import { fitsIn, graphemes } from './characters.ts'

describe('graphemes', () => {
  test('splits a text at the same positions as Intl.Segmenter', () => {
    const segmenter = new Intl.Segmenter('ja', { granularity: 'grapheme' })
    const mismatches: string[] = []
    for (let first = 0; first <= 0xffff; first += 64) {
      // Each tested character is between two plain characters, because a combining mark would join the character before
      // it. The segmenter splits a joined text much faster than single ones.
      const texts = Array.from({ length: 64 }, (_, index) => `aか${String.fromCharCode(first + index)}が`)
      const segments = Array.from(segmenter.segment(texts.join('')), ({ segment }) => segment)
      if (texts.flatMap(graphemes).join('|') !== segments.join('|')) mismatches.push(first.toString(16))
    }
    expect(mismatches).toEqual([])
    expect(graphemes('𠮷野👨‍👩‍👧か\u309a1️⃣')).toEqual(['𠮷', '野', '👨‍👩‍👧', 'か\u309a', '1️⃣'])
    expect(graphemes('')).toEqual([])
  })
})

describe('fitsIn', () => {
  const family = '👨‍👩‍👧'

  test.each([2, 20, 100, 5000])('counts visible characters up to the maximum %i', (max) => {
    for (const longest of [family.repeat(max), '𠮷'.repeat(max), 'か\u3099'.repeat(max), 'あ'.repeat(max)]) {
      expect(fitsIn(longest, max)).toBe(true)
      expect(fitsIn(`${longest}あ`, max)).toBe(false)
    }
    for (const character of ['𠮷', 'か\u3099', 'あ']) expect(fitsIn(character.repeat(max + 1), max)).toBe(false)
  })

  test('rejects a single character with more than eight code units per permitted character', () => {
    for (const max of [2, 100, 5000]) expect(fitsIn(`あ${'\u0301'.repeat(8 * max)}`, max)).toBe(false)
  })
})
