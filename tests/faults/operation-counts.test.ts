import { describe, expect, test } from 'vitest'
import { addUpCounts, countOperations, eachDoneGoal, formatOperationCounts, refusedGoal } from './operation-counts.ts'
import { administratorOperations, type LoggedOperation } from './operation-log.ts'

type OperationResult = Pick<LoggedOperation, 'by' | 'what' | 'state' | 'status'>
const page = { by: 'administrator', what: 'a new page' } as const
const done: OperationResult = { ...page, state: 'confirmed', status: 302 }
const refused = (status: number, of: Partial<OperationResult> = {}): OperationResult => ({
  ...{ ...page, state: 'refused', status },
  ...of,
})
const withoutResponse: OperationResult = { ...page, state: 'unknown', status: 0 }

describe('countOperations', () => {
  test('counts operations by person, name and result', () => {
    const card = { by: 'approved', what: 'a card', state: 'confirmed', status: 302 } as const
    expect(countOperations([card, done, refused(403), refused(409), refused(507), withoutResponse, done])).toEqual([
      { ...page, done: 2, refused: 1, conflict: 1, failed: 2 },
      { by: 'approved', what: 'a card', done: 1, refused: 0, conflict: 0, failed: 0 },
    ])
  })

  test('returns the same sums when the operations are counted in parts', () => {
    const [one, other] = [
      [done, refused(403)],
      [withoutResponse, done],
    ]
    expect(addUpCounts([...countOperations(one), ...countOperations(other)])).toEqual(
      countOperations([...one, ...other]),
    )
  })
})

describe('refusedGoal', () => {
  test.each([400, 401, 403, 404, 410, 422, 429])('is missed when an administrator receives the status %i', (status) => {
    expect(refusedGoal([done, refused(status), refused(status)])).toMatchObject({
      measured: '2',
      missed: true,
      notes: [`administrator: a new page, status ${status}, 2 times`],
    })
  })

  test('is missed when a member receives the status 403', () => {
    expect(refusedGoal([refused(403, { by: 'approved', what: 'a card' })]).missed).toBe(true)
  })

  test('is met when operations end with a server error, a conflict or no response', () => {
    expect(refusedGoal([done, refused(503), refused(507), refused(500), withoutResponse, refused(409)]).missed).toBe(
      false,
    )
  })

  test('is met when a guest reaches a rate limit', () => {
    expect(refusedGoal([refused(429, { by: 'guest', what: 'a message' })]).missed).toBe(false)
  })
})

test('eachDoneGoal lists the operations that never succeeded for an administrator', () => {
  const all = administratorOperations.map((what) => ({ ...done, what }))
  expect(eachDoneGoal(countOperations(all)).missed).toBe(false)
  const others = all.map((operation) =>
    operation.what === 'a card' ? { ...operation, by: 'approved' as const } : operation,
  )
  const failed = others.map((operation) => (operation.what === 'a role' ? refused(503, { what: 'a role' }) : operation))
  expect(eachDoneGoal(countOperations(failed))).toMatchObject({ missed: true, notes: ['a card', 'a role'] })
})

test('formatOperationCounts renders one line of counts per operation', () => {
  expect(formatOperationCounts(countOperations([done, refused(403)])).split('\n')).toEqual([
    'operation                  done  refused  conflict  failed',
    'administrator: a new page     1        1         0       0',
  ])
})
