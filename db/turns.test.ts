import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createTurns, inTurn } from './turns.ts'

const PATIENCE = 200
const tooLate = () => new Error('too late')

test('who waits for a queue that moves waits for as long as it takes, in the order of coming', async () => {
  const take = createTurns(1, PATIENCE, tooLate)
  const came: number[] = []
  const began = performance.now()
  const work = (n: number) => async () => {
    came.push(n)
    await pause(PATIENCE / 5)
    if (n % 2) throw new Error('a refusal')
  }
  await Promise.allSettled(Array.from({ length: 12 }, (_, n) => inTurn(take, work(n))))
  expect(came).toEqual(Array.from({ length: 12 }, (_, n) => n))
  expect(performance.now() - began).toBeGreaterThan(2 * PATIENCE)
})

test('where nobody gets anything done, those behind are given up with the first, and the place is free again', async () => {
  const take = createTurns(1, PATIENCE, tooLate)
  const stuck = async (until: number) => {
    await pause(Math.max(0, until - performance.now()))
    throw Object.assign(new Error('locked'), { code: 'SQLITE_BUSY' })
  }
  const began = performance.now()
  const all = await Promise.allSettled([1, 2, 3].map(() => inTurn(take, stuck)))
  expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(performance.now() - began).toBeLessThan(3 * PATIENCE)
  expect(await inTurn(take, async () => 'done')).toBe('done')
})
