import { expect, test } from 'vitest'
import { orUnanswered } from './or-unanswered.ts'

const routeError = (status: number) => ({ status, statusText: '', internal: false, data: '' })
const failing = (error: unknown) => orUnanswered(() => Promise.reject(error), { failed: 'つながりません' })

test('what the server answers is the answer', async () => {
  expect(await orUnanswered(async () => ({ done: '保存しました' }), { failed: 'つながりません' })).toEqual({
    done: '保存しました',
  })
})

test.each([
  ['no connection', new TypeError('Failed to fetch')],
  ['a proxy that finds no site behind it', routeError(502)],
  ['a proxy that waits for it in vain', routeError(504)],
])('of %s it says so with 503, and what was typed stays', async (_, error) => {
  expect(await failing(error)).toMatchObject({ data: { failed: 'つながりません' }, init: { status: 503 } })
})

test.each([
  ['the site’s own failure', routeError(500)],
  ['a page that is not there', routeError(404)],
  ['a bug', new RangeError('bug')],
])('%s is not taken for that', async (_, error) => {
  await expect(failing(error)).rejects.toBe(error)
})
