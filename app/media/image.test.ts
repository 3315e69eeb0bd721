import { describe, expect, test } from 'vitest'
import { imageSources } from './image.ts'

describe('imageSources', () => {
  test('returns every format and every width up to the width in the URL', () => {
    expect(imageSources('/art/dish-soba-800.jpg')?.avif).toBe(
      '/art/dish-soba-400.avif 400w, /art/dish-soba-800.avif 800w',
    )
    expect(imageSources('/art/story-alley-1920.jpg')?.jpg).toContain('/art/story-alley-1920.jpg 1920w')
  })

  test.each([
    'https://example.jp/a-800.jpg',
    '/elsewhere/a-800.jpg',
    '/art/../secret-800.jpg',
    '/art/a-77.jpg',
    '/art/a-800.svg',
  ])('returns null for %s', (url) => expect(imageSources(url)).toBeNull())
})
