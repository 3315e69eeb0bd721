import type { Mutant } from '../scripts/mutants.ts'

const forms = ['e2e/every-form.spec.ts']
const drafts = ['e2e/unsaved-input.spec.ts', 'e2e/restored-drafts.spec.ts', 'e2e/unsaved-message.spec.ts']
const focus = ['e2e/focus-and-voice.spec.ts']

// Each of these builds the site and runs a whole file of browser tests.
export default [
  {
    file: 'app/saving/use-save.ts',
    text: 'const isSent = script === undefined || (await bring(script))',
    broken: 'const isSent = true',
    tests: ['e2e/edit-a-card.spec.ts'],
  },
  {
    file: 'app/saving/use-save.ts',
    text: `form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()`,
    broken: 'undefined',
    tests: forms,
  },
  {
    file: 'app/saving/unanswered.ts',
    text: 'error instanceof TypeError',
    broken: 'error instanceof RangeError',
    tests: forms,
  },
  {
    file: 'app/saving/save-form.tsx',
    text: "box.current?.scrollIntoView({ block: 'nearest' })",
    broken: 'undefined',
    tests: forms,
  },
  {
    file: 'app/frame/use-focus-kept.ts',
    text: 'if (!path[0]?.contains(target as Node)) path = []',
    broken: 'path = []',
    tests: forms,
  },
  {
    file: 'app/frame/use-page-change.ts',
    text: 'announce(document.title)',
    broken: '',
    tests: focus,
  },
  {
    file: 'app/ui/dialog.tsx',
    text: 'return () => element?.close()',
    broken: 'return undefined',
    tests: focus,
  },
  {
    file: 'app/mail/inbox-page.tsx',
    text: '<Outcome save={sent} />',
    broken: '',
    tests: forms,
  },
  {
    file: 'app/mail/use-opening.ts',
    text: " || show === 'unread'",
    broken: '',
    tests: ['e2e/write-a-mail.spec.ts'],
  },
  {
    file: 'app/saving/use-draft.ts',
    text: "`${name} ${root?.visitor?.accountId ?? ''}`",
    broken: '`${name}`',
    tests: drafts,
  },
  {
    file: 'app/saving/use-draft.ts',
    text: 'version: stored.current?.version ?? version',
    broken: 'version',
    tests: drafts,
  },
  {
    file: 'app/saving/use-draft.ts',
    text: 'if (discards || isSame',
    broken: 'if (isSame',
    tests: drafts,
  },
  {
    file: 'app/saving/drafts.ts',
    text: 'reading.result?.at === at && drafts.delete(key)',
    broken: 'drafts.delete(key)',
    tests: drafts,
  },
  {
    file: 'app/saving/drafts.ts',
    text: 'cursor?.value.at < Date.now() - RETENTION_MS',
    broken: 'cursor?.value.at < 0',
    tests: drafts,
  },
  {
    file: 'app/sign-in/local-flags.ts',
    text: 'sessionStorage.clear()',
    broken: '',
    tests: drafts,
  },
] satisfies Mutant[]
