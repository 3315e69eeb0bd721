import { expect, test } from 'vitest'
import { fieldErrors } from './field-errors.ts'

test('each field has all that is wrong with it, by the name that it has in the form', () => {
  const issues = [
    { path: ['links', 0, 'url'], message: '甲' },
    { path: ['title'], message: '乙' },
    { path: ['links', 0, 'url'], message: '丙' },
  ]
  expect(fieldErrors(issues)).toEqual({ 'links.0.url': ['甲', '丙'], title: ['乙'] })
})
