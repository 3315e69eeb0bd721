import { expect, test } from 'vitest'
import { urlWithoutNotice } from './toast.ts'

test('urlWithoutNotice removes the notice, but no other part of a URL', () => {
  const strip = (path: string) => urlWithoutNotice(new URL(path, 'http://localhost'))
  expect(strip('/dining?page=2&done=saved&undo=1#card-1')).toBe('/dining?page=2#card-1')
  expect(strip('/dining?done=saved&undo=1#card-1')).toBe('/dining#card-1')
  expect(strip('/dining')).toBe('/dining')
})
