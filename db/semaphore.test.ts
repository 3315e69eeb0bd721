import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { createSemaphore, inSlot } from './semaphore.ts'

const TIMEOUT = 200
const tooLate = () => new Error('too late')
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

beforeEach(() => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
})

test('admits all waiters in the order of arrival as the running work completes', async () => {
  const semaphore = createSemaphore(1, TIMEOUT, tooLate)
  const entered: number[] = []
  const work = (n: number) => async () => {
    entered.push(n)
    await pause(TIMEOUT / 5)
    if (n % 2) throw new Error('a refusal')
  }
  const all = Promise.allSettled(Array.from({ length: 12 }, (_, n) => inSlot(semaphore, work(n))))
  await vi.advanceTimersByTimeAsync((12 * TIMEOUT) / 5)
  await all
  expect(entered).toEqual(Array.from({ length: 12 }, (_, n) => n))
})

test('rejects all waiters after one timeout and frees the slot when no work completes', async () => {
  const semaphore = createSemaphore(1, TIMEOUT, tooLate)
  const stuck = async (until: number) => {
    await pause(Math.max(0, until - performance.now()))
    throw Object.assign(new Error('locked'), { code: 'SQLITE_BUSY' })
  }
  const all = Promise.allSettled([1, 2, 3].map(() => inSlot(semaphore, stuck)))
  await vi.advanceTimersByTimeAsync(TIMEOUT)
  expect((await all).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(await inSlot(semaphore, async () => 'done')).toBe('done')
})

test('delays small work while larger work is ahead of it in the queue', async () => {
  const semaphore = createSemaphore(10, TIMEOUT, tooLate)
  const first = await semaphore.take(6)
  const second = await semaphore.take(3)
  const entered: number[] = []
  const rest = [5, 1, 4].map((units) => inSlot(semaphore, async () => void entered.push(units), units))
  await vi.advanceTimersByTimeAsync(1)
  expect(entered).toEqual([])
  first.release(true)
  await Promise.all(rest)
  expect(entered).toEqual([5, 1, 4])
  second.release(true)
  expect((await semaphore.take(10)).until).toBe(performance.now() + TIMEOUT)
})

test('admits small work when the larger work ahead of it in the queue times out', async () => {
  const semaphore = createSemaphore(10, TIMEOUT, tooLate)
  await semaphore.take(6)
  const rejected = expect(semaphore.take(5)).rejects.toThrow('too late')
  await vi.advanceTimersByTimeAsync(TIMEOUT / 2)
  const small = semaphore.take(4)
  await vi.advanceTimersByTimeAsync(TIMEOUT / 2)
  await rejected
  expect((await small).until).toBe(performance.now() + TIMEOUT / 2)
})
