import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { MAX_OWN_SAVES } from './own-saves.ts'
import { SAVE_FAILED, undoOf } from './save-result.ts'
import { readSeenVersion } from './seen-version.ts'

test('submits every form with useSave, unless the form has no version', () => {
  const files = readdirSync('app', { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file))
  const submission = /\buse(?:Fetcher|Submit)\b|<form\b|<Form\b[^>]*\bmethod=/
  const submittingFiles = files.filter(
    (file) => !file.endsWith('.test.ts') && submission.test(readFileSync(`app/${file}`, 'utf8')),
  )
  expect(submittingFiles.sort()).toEqual([
    'accounts/sign-out-button.tsx',
    // Loads the history of an event.
    'calendar/event-editing.tsx',
    // Loads the days of a series.
    'calendar/repetition-fields.tsx',
    'contact/use-read-marking.ts',
    'forms/use-save.ts',
    // Saves the draft of a step.
    'members/member-step-form.tsx',
    'members/unsubscribe-page.tsx',
    'shop/menu-filter.tsx',
    // Signs the visitor out.
    'staff/invitation-page.tsx',
    // Loads the times of another day.
    'tables/table-choice.tsx',
  ])
})

/** Loads the module as a new browser tab does. */
function openTab(): Promise<typeof import('./own-saves.ts')> {
  return import(/* @vite-ignore */ `./own-saves.ts?tab=${crypto.randomUUID()}`)
}

const saveIds = Array.from({ length: MAX_OWN_SAVES + 2 }, (_, index) => String(index))

test('lists the newest saves of a tab and of its draft', async () => {
  const { ownSaves, rememberSave, rememberSavesOf } = await openTab()
  const [first, second, third, fourth, ...others] = saveIds
  rememberSave({ undo: undoOf(`${third}`) })
  rememberSave({ save: `${fourth}` })
  rememberSave({ trouble: SAVE_FAILED })
  rememberSavesOf({})
  rememberSavesOf({ own: `${first} ${second}` })
  expect(ownSaves()).toBe(`${first} ${second} ${third} ${fourth}`)
  for (const save of others) rememberSave({ save })
  const newest = saveIds.slice(-MAX_OWN_SAVES).join(' ')
  expect(ownSaves()).toBe(newest)
  rememberSavesOf({ own: `${first} ${second}` })
  expect(ownSaves()).toBe(newest)
})

test('reads the newest IDs of own saves from a form', () => {
  const form = new FormData()
  form.set('version', '3')
  expect(readSeenVersion(form)).toEqual({ version: 3, own: [] })
  form.set('own', ` ${saveIds.join('  ')}`)
  expect(readSeenVersion(form).own).toEqual(saveIds.slice(-MAX_OWN_SAVES))
})
