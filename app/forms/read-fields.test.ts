import { expect, test } from 'vitest'
import { z } from 'zod'
import { checkFields } from './read-fields.ts'

const check = checkFields(z.object({ title: z.string('タイトルを入力してください'), note: z.string().optional() }))

function formOf(fields: Record<string, string | File>) {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  return form
}

test.each([
  [{ title: '題' }, null],
  [{ title: '題', note: new File([], 'note.txt') }, null],
  [{ title: '', note: '注' }, { title: ['タイトルを入力してください'] }],
] as [Record<string, string | File>, object | null][])('checks the filled text fields of %o', (fields, errors) => {
  expect(check(formOf(fields))).toEqual(errors)
})
