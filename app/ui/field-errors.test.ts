import { describe, expect, test } from 'vitest'
import { fieldErrors } from './field-errors.ts'

describe('fieldErrors', () => {
  test('collects all errors of a field under its name in the form', () => {
    const issues = [
      { path: ['links', 0, 'url'], message: '甲' },
      { path: ['title'], message: '乙' },
      { path: ['links', 0, 'url'], message: '丙' },
    ]
    expect(fieldErrors(issues)).toEqual({ 'links.0.url': ['甲', '丙'], title: ['乙'] })
  })
})
