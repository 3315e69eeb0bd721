import { describe, expect, test } from 'vitest'
import { boundaryOf, partsOf } from './multipart.server.ts'

const EDGE = 'edge'
const DISPOSITION = 'content-disposition: form-data'

/** Returns the names and contents of the parts; null if the body is rejected. */
function read(body: string) {
  const parts = partsOf(Buffer.from(body), EDGE)
  return parts?.map(({ name, bytes }) => [name, bytes.toString()]) ?? null
}

/** Returns a body whose only part has these headers. */
const bodyWith = (headers: string) => `--${EDGE}\r\n${headers}\r\n\r\nbytes\r\n--${EDGE}--\r\n`

describe('boundaryOf', () => {
  test('returns a boundary of 4 to 70 characters', () => {
    const lengthOf = (boundary: string) => boundaryOf(`multipart/form-data; boundary=${boundary}`)?.length
    expect([3, 4, 70].map((length) => lengthOf('x'.repeat(length)))).toEqual([undefined, 4, 70])
    expect([3, 4, 70, 71].map((length) => lengthOf(`"${'x'.repeat(length)}"`))).toEqual([undefined, 4, 70, undefined])
  })

  test('reads a boundary that follows other parameters', () => {
    expect(boundaryOf('multipart/form-data; charset=utf-8; boundary=edge')).toBe(EDGE)
  })

  test.each(['multipart/mixed; boundary=edge', 'text/plain; x=multipart/form-data; boundary=edge', ''])(
    'returns null for %j',
    (type) => {
      expect(boundaryOf(type)).toBeNull()
    },
  )
})

describe('partsOf', () => {
  test.each([
    ['name before a file name with quotation marks', `${DISPOSITION}; name="image"; filename="a\\"; name=\\"b.jpg"`],
    ['parameter in capital letters', `${DISPOSITION}; NAME=image`],
    ['header in capital letters', 'CONTENT-DISPOSITION: form-data; name=image'],
    ['header whose name contains another', `x-${DISPOSITION}; name=other\r\n${DISPOSITION}; name=image`],
    ['header in the second line', `content-type: image/jpeg\r\n${DISPOSITION}; name=image`],
  ])('reads a %s', (_, headers) => {
    expect(read(bodyWith(headers))).toEqual([['image', 'bytes']])
  })

  test('rejects a part with more than 4 KB of headers', () => {
    const start = `${DISPOSITION}; name=image; filename=`
    const headersOf = (length: number) => start.padEnd(length, 'x')
    expect(read(bodyWith(headersOf(4000)))).toEqual([['image', 'bytes']])
    expect(read(bodyWith(headersOf(4100)))).toBeNull()
  })

  test('reads two parts, the first without content', () => {
    const part = (name: string, content: string) => `--${EDGE}\r\n${DISPOSITION}; name=${name}\r\n\r\n${content}\r\n`
    expect(read(`${part('empty', '')}${part('image', 'a\r\n\r\nb\r\n')}--${EDGE}--`)).toEqual([
      ['empty', ''],
      ['image', 'a\r\n\r\nb\r\n'],
    ])
  })

  test.each([
    ['without a boundary', 'bytes'],
    ['of another boundary', bodyWith(`${DISPOSITION}; name=image`).replaceAll(EDGE, 'other')],
    ['that ends within the headers', `--${EDGE}\r\n${DISPOSITION}; name=image`],
    ['whose headers do not end', `--${EDGE}\r\n${DISPOSITION}; name=image\r\n--${EDGE}--\r\n`],
    ['that ends within a part', `--${EDGE}\r\n${DISPOSITION}; name=image\r\n\r\nbytes`],
    ['without a last boundary', bodyWith(`${DISPOSITION}; name=image`).replace(`--${EDGE}--`, `--${EDGE}`)],
  ])('rejects a body %s', (_, body) => {
    expect(read(body)).toBeNull()
  })
})
