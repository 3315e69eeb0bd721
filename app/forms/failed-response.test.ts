import { data } from 'react-router'
import { expect, test } from 'vitest'
import { OutcomeUnknown } from '../../db/failure.ts'
import { replaceFailures } from '../platform/router-workarounds.ts'
import { resultOfFailure } from './failed-response.ts'
import { reportFailure } from './report-failure.server.ts'
import { NO_CONNECTION, SAVE_FAILED } from './save-result.ts'

const routeError = (status: number, data: unknown = '') => ({ status, statusText: '', internal: false, data })

/** Returns the router's result for a request that fails with `error`. */
async function resultFor(error: unknown, method = 'POST') {
  const results = { page: { type: 'error' as const, result: error } }
  const middleware = replaceFailures(resultOfFailure)
  const middlewareArgs = { request: new Request('http://localhost/site', { method }) }
  const replaced = await middleware(middlewareArgs as unknown as Parameters<typeof middleware>[0], async () => results)
  return (replaced as typeof results).page
}

test.each([
  ['a lost connection', new TypeError('Failed to fetch'), { trouble: NO_CONNECTION, unanswered: true }, 503],
  [
    'a lost connection in a router response',
    data(new TypeError('Failed to fetch')),
    { trouble: NO_CONNECTION, unanswered: true },
    503,
  ],
  ['a 502 of a proxy', routeError(502), { trouble: NO_CONNECTION, unanswered: true }, 502],
  ['a 504 of a proxy', routeError(504), { trouble: NO_CONNECTION, unanswered: true }, 504],
  [
    'a body above the maximum size',
    routeError(413, '送信された内容が大きすぎます。'),
    { trouble: '送信された内容が大きすぎます。' },
    413,
  ],
  ['an HTML page of a proxy', routeError(429, '<html>Too many</html>'), { trouble: SAVE_FAILED }, 429],
  [
    'a Japanese HTML page of a proxy',
    routeError(429, '<html>混み合っています。</html>'),
    { trouble: SAVE_FAILED },
    429,
  ],
  [
    'a line without a full stop',
    routeError(413, '写真は1枚につき最大で20 MB'),
    { trouble: '写真は1枚につき最大で20 MB' },
    413,
  ],
  ['a Japanese line with a tag at its end', routeError(429, '混み合っています<br>'), { trouble: SAVE_FAILED }, 429],
  [
    'an HTML page with a Japanese last line',
    routeError(429, '<html>\n混み合っています。'),
    { trouble: SAVE_FAILED },
    429,
  ],
  ['an English line of a proxy', routeError(429, 'Too many'), { trouble: SAVE_FAILED }, 429],
  ['a 500 of the site', routeError(500), { trouble: SAVE_FAILED }, 500],
  ['a bug', new RangeError('bug'), { trouble: SAVE_FAILED }, 500],
])('turns %s into a form response, so that the input is not lost', async (_, error, expected, status) => {
  expect(await resultFor(error)).toMatchObject({ type: 'data', result: { data: expected, init: { status } } })
})

test('does not change redirects or failed page loads', async () => {
  const redirect = new Response(null, { status: 302, headers: { location: '/' } })
  expect(await resultFor(redirect)).toEqual({ type: 'error', result: redirect })
  const failure = new TypeError('Failed to fetch')
  expect(await resultFor(failure, 'GET')).toEqual({ type: 'error', result: failure })
})

test('reports a save as unanswered when the outcome of the commit is unknown', () => {
  const isUnanswered = (error: Error) => reportFailure(SAVE_FAILED, { error: () => {} }, error, 'save error').unanswered
  expect(isUnanswered(new OutcomeUnknown('no response to the commit'))).toBe(true)
  expect(isUnanswered(Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' }))).toBe(false)
})

test.each([
  ['SQLITE_CANTOPEN', 507],
  ['SQLITE_BUSY', 503],
  ['no database code', 500],
])('logs a failed save (%s) with the reference number of its sentence', (code, status) => {
  const logged: unknown[] = []
  const error = Object.assign(new Error('the write failed'), { code })
  const report = reportFailure(SAVE_FAILED, { error: (...entry: unknown[]) => logged.push(entry) }, error, 'save error')
  expect(report.status).toBe(status)
  const [, reference] = /（受付番号 ([0-9a-f]{8})）/.exec(report.sentence) ?? []
  expect(logged).toEqual([[{ err: error, reference }, 'save error']])
})
