import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

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
    'contact/use-read-marking.ts',
    'forms/use-save.ts',
    // Saves the draft of a step.
    'members/member-step-form.tsx',
    // Signs the visitor out.
    'staff/invitation-page.tsx',
  ])
})
