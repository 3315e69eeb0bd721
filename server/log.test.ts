import { expect, onTestFinished, test, vi } from 'vitest'
import { openLog, openTerminal } from './log.ts'

function openTestLog() {
  const lines: Record<string, unknown>[] = []
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-20T03:00:10Z') })
  onTestFinished(() => void vi.useRealTimers())
  const opened = openLog('info', { write: (line) => void lines.push(JSON.parse(line)) })
  const passMinute = () => vi.setSystemTime(Date.now() + 60_000)
  return { lines, passMinute, opened }
}

test('writes at most a thousand lines a minute, and then reports the number of missing lines', () => {
  const { lines, passMinute, opened } = openTestLog()
  for (let index = 0; index < 5000; index += 1) opened.info({ path: '/' }, 'request')
  expect(lines).toHaveLength(1000)
  passMinute()
  opened.info('again')
  expect(lines.slice(1000)).toMatchObject([{ level: 40, msg: 'too many lines', missing: 4000 }, { msg: 'again' }])
})

test('limits errors separately from other lines', () => {
  const { lines, opened } = openTestLog()
  for (let index = 0; index < 5000; index += 1) opened.info('request')
  for (let index = 0; index < 5000; index += 1) opened.error({ err: new Error('no disk') }, 'failed')
  expect(lines.filter(({ msg }) => msg === 'failed')).toHaveLength(1000)
  expect(lines.at(1000)).toMatchObject({ level: 50, err: { message: 'no disk' } })
})

test('writes every line when the limit is not exceeded', () => {
  const { lines, passMinute, opened } = openTestLog()
  for (let minute = 0; minute < 3; minute += 1) {
    for (let index = 0; index < 1000; index += 1) opened.warn('request')
    passMinute()
  }
  expect(lines).toHaveLength(3000)
  expect(lines.every(({ msg }) => msg === 'request')).toBe(true)
})

test('formats lines for a terminal, with the stack of an error', async () => {
  const shown: string[] = []
  const terminal = { write: (text: string) => shown.push(text), hasColors: () => false }
  const opened = openLog('info', await openTerminal(terminal))
  opened.info({ method: 'GET', path: '/dining', status: 200, ms: 3 }, 'request')
  opened.warn({ why: 'fetch failed: ENOTFOUND' }, 'holiday refresh failed')
  opened.error({ err: new Error('no disk') }, 'failed')
  const [request, holidays, error] = shown
  expect(request).toMatch(/^\[\d\d:\d\d:\d\d\] INFO: request GET \/dining 200 3 ms\n$/)
  expect(holidays).toMatch(/^\[[\d:]{8}\] WARN: holiday refresh failed \{"why":"fetch failed: ENOTFOUND"\}\n$/)
  expect(error).toMatch(/ERROR: failed[\s\S]*Error: no disk\n +at /)
  expect(shown.join('')).not.toContain('\u001b')
})
