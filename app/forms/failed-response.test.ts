import { data } from 'react-router'
import { expect, test } from 'vitest'
import { OutcomeUnknown } from '../../db/failure.ts'
import { replaceFailures } from '../platform/router-workarounds.ts'
import { resultOfFailure } from './failed-response.ts'
import { reportFailure } from './report-failure.server.ts'
import { NO_CONNECTION, SAVE_FAILED } from './save-result.ts'

const routeError = (status: number, said: unknown = '') => ({ status, statusText: '', internal: false, data: said })

/** What becomes of a form whose way ends in this. */
async function answerTo(error: unknown, method = 'POST') {
  const results = { page: { type: 'error' as const, result: error } }
  const answer = replaceFailures(resultOfFailure)
  const given = { request: new Request('http://localhost/site', { method }) }
  const answered = await answer(given as unknown as Parameters<typeof answer>[0], async () => results)
  return (answered as typeof results).page
}

test.each([
  ['no connection', new TypeError('Failed to fetch'), { trouble: NO_CONNECTION, unanswered: true }, 503],
  [
    'none, as the router wraps it',
    data(new TypeError('Failed to fetch')),
    { trouble: NO_CONNECTION, unanswered: true },
    503,
  ],
  ['a proxy that finds no site behind it', routeError(502), { trouble: NO_CONNECTION, unanswered: true }, 502],
  ['a proxy that waits for it in vain', routeError(504), { trouble: NO_CONNECTION, unanswered: true }, 504],
  [
    'a refusal of what is too large',
    routeError(413, '送信された内容が大きすぎます。'),
    { trouble: '送信された内容が大きすぎます。' },
    413,
  ],
  ['a page of a proxy', routeError(429, '<html>Too many</html>'), { trouble: SAVE_FAILED }, 429],
  ['a page of a proxy in Japanese', routeError(429, '<html>混み合っています。</html>'), { trouble: SAVE_FAILED }, 429],
  ['a line of a proxy', routeError(429, 'Too many'), { trouble: SAVE_FAILED }, 429],
  ['a site that failed', routeError(500), { trouble: SAVE_FAILED }, 500],
  ['a bug', new RangeError('bug'), { trouble: SAVE_FAILED }, 500],
])('%s becomes an answer, which keeps what was typed', async (_, error, answer, status) => {
  expect(await answerTo(error)).toMatchObject({ type: 'data', result: { data: answer, init: { status } } })
})

test('a redirect is followed, and what fails while a page is read is an error still', async () => {
  const redirect = new Response(null, { status: 302, headers: { location: '/' } })
  expect(await answerTo(redirect)).toEqual({ type: 'error', result: redirect })
  const failure = new TypeError('Failed to fetch')
  expect(await answerTo(failure, 'GET')).toEqual({ type: 'error', result: failure })
})

test('of what nobody knows to be kept or not, the answer says that there was none', () => {
  const told = (error: Error) => reportFailure(SAVE_FAILED, { error: () => {} }, error, 'save error').unanswered
  expect(told(new OutcomeUnknown('The answer to a commit did not come'))).toBe(true)
  expect(told(Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' }))).toBe(false)
})
