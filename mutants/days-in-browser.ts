import type { Mutant } from '../scripts/mutants.ts'

// Each of these builds the site and runs a whole file of browser tests.
export default [
  {
    file: 'app/live/use-live.ts',
    text: 'if (!well) timer = setTimeout(look, LOOK_AGAIN_AFTER)\n      else {',
    broken: '{',
    tests: ['e2e/live.spec.ts'],
  },
  {
    file: 'app/live/use-live.ts',
    text: 'timer = setTimeout(look, LOOK_AGAIN_AFTER)',
    broken: 'return',
    tests: ['e2e/live.spec.ts'],
  },
  {
    file: 'app/frame/only-opens.ts',
    text: ' && !isReading()',
    broken: '',
    tests: ['e2e/calendar-by-address.spec.ts'],
  },
  {
    file: 'app/live/live.tsx',
    text: 'Date.now() - knownFreshAt() > OLD ? knownFreshAt() : 0',
    broken: '0',
    tests: ['e2e/live.spec.ts'],
  },
  {
    file: 'app/ui/clock.ts',
    text: 'if (!stopped) timer = setTimeout(look, MINUTE - (timeNow(asOf) % MINUTE))',
    broken: '',
    tests: ['e2e/as-time-passes.spec.ts'],
  },
  {
    file: 'app/ui/clock.ts',
    text: 'ahead = Math.abs(differs) > TOLERATED ? differs : 0',
    broken: 'ahead = 0',
    tests: ['e2e/as-time-passes.spec.ts'],
  },
  {
    file: 'app/frame/use-new-day.ts',
    text: 'timer = setTimeout(tellAnything, wait)',
    broken: 'timer = setTimeout(() => {}, wait)',
    tests: ['e2e/as-time-passes.spec.ts'],
  },
  {
    file: 'app/saving/use-save.ts',
    text: 'hear.current?.()\n',
    broken: '',
    tests: ['e2e/calendar.spec.ts'],
  },
  {
    file: 'app/ui/until-it-comes.ts',
    text: 'return await load()',
    broken: 'return load()',
    tests: ['e2e/edit-a-card.spec.ts'],
  },
  {
    file: 'app/ui/lazily.tsx',
    text: 'if (!Part) come().then(() => lookAgain(true))',
    broken: '',
    equal: 'React loses the next page by chance, and in 170 tries at the moments where it could it no longer did',
  },
] satisfies Mutant[]
