import { describe, expect, test } from 'vitest'
import { graphemes } from './characters.ts'

describe('graphemes', () => {
  test('splits a text at the same positions as Intl.Segmenter', () => {
    const segmenter = new Intl.Segmenter('ja', { granularity: 'grapheme' })
    const mismatches: string[] = []
    for (let code = 1; code <= 0xffff; code++) {
      // The tested character is between two plain characters, because a combining mark would join the character before
      // it.
      const text = `aか${String.fromCharCode(code)}が`
      const segments = Array.from(segmenter.segment(text), ({ segment }) => segment)
      if (graphemes(text).join('|') !== segments.join('|')) mismatches.push(code.toString(16))
    }
    expect(mismatches).toEqual([])
    expect(graphemes('𠮷野👨‍👩‍👧か\u309a1️⃣')).toEqual(['𠮷', '野', '👨‍👩‍👧', 'か\u309a', '1️⃣'])
    expect(graphemes('')).toEqual([])
  })
})
