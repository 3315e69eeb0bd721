import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createSemaphore, inSlot } from './semaphore.ts'

const TIMEOUT = 200
const tooLate = () => new Error('too late')

test('admits all waiters in the order of arrival as the running work completes', async () => {
  const semaphore = createSemaphore(1, TIMEOUT, tooLate)
  const entered: number[] = []
  const startedAt = performance.now()
  const work = (n: number) => async () => {
    entered.push(n)
    await pause(TIMEOUT / 5)
    if (n % 2) throw new Error('a refusal')
  }
  await Promise.allSettled(Array.from({ length: 12 }, (_, n) => inSlot(semaphore, work(n))))
  expect(entered).toEqual(Array.from({ length: 12 }, (_, n) => n))
  expect(performance.now() - startedAt).toBeGreaterThan(2 * TIMEOUT)
})

test('rejects all waiters after one timeout and frees the slot when no work completes', async () => {
  const semaphore = createSemaphore(1, TIMEOUT, tooLate)
  const stuck = async (until: number) => {
    await pause(Math.max(0, until - performance.now()))
    throw Object.assign(new Error('locked'), { code: 'SQLITE_BUSY' })
  }
  const startedAt = performance.now()
  const all = await Promise.allSettled([1, 2, 3].map(() => inSlot(semaphore, stuck)))
  expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(performance.now() - startedAt).toBeLessThan(3 * TIMEOUT)
  expect(await inSlot(semaphore, async () => 'done')).toBe('done')
})

test('delays small work while larger work is ahead of it in the queue', async () => {
  const semaphore = createSemaphore(10, TIMEOUT, tooLate)
  const first = await semaphore.take(6)
  const second = await semaphore.take(3)
  const entered: number[] = []
  const rest = [5, 1, 4].map((units) => inSlot(semaphore, async () => void entered.push(units), units))
  await pause(1)
  expect(entered).toEqual([])
  first.release(true)
  await Promise.all(rest)
  expect(entered).toEqual([5, 1, 4])
  second.release(true)
  expect((await semaphore.take(10)).until).toBeGreaterThan(performance.now())
})

test('admits small work when the larger work ahead of it in the queue times out', async () => {
  const semaphore = createSemaphore(10, TIMEOUT, tooLate)
  await semaphore.take(6)
  const large = semaphore.take(5)
  const rejected = expect(large).rejects.toThrow('too late')
  await pause(TIMEOUT / 2)
  const small = semaphore.take(4)
  await rejected
  expect((await small).until).toBeGreaterThan(performance.now())
})
