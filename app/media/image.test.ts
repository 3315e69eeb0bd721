import { expect, test } from 'vitest'
import { imageSources } from './image.ts'

test('a picture of the site comes in every format and width up to its widest', () => {
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
])('%s is not one', (url) => expect(imageSources(url)).toBeNull())
