import type { Mutant } from '../scripts/mutants.ts'

const tests = ['e2e/start-the-site.spec.ts']

// Each of these builds the site and starts it many times.
export default [
  { file: 'server/claim.ts', text: "lock.exec('begin exclusive')", broken: '', tests },
  { file: 'server/claim.ts', text: "error.code === 'SQLITE_BUSY'", broken: 'false', tests },
  { file: 'server/open-site.ts', text: '!isThere && existsSync(', broken: 'false && existsSync(', tests },
  { file: 'server/open-site.ts', text: ' && statSync(place.file).size > 0', broken: '', tests },
  { file: 'server/processes.ts', text: "state === 'open' && cluster.fork()", broken: 'undefined', tests },
  { file: 'server/processes.ts', text: "worker.process.kill('SIGTERM')", broken: 'worker.id', tests },
  { file: 'server/processes.ts', text: 'cluster.worker.id === 1', broken: 'true', tests },
  {
    file: 'app/shop/use-swiper.ts',
    text: 'initialSlide: wanted.current.shown',
    broken: 'initialSlide: 0',
    tests: ['e2e/watch-the-slides.spec.ts'],
  },
  {
    file: 'app/shop/use-swiper.ts',
    text: 'if (!wanted.current.playing || hasKeyboard(box.current)) ',
    broken: 'if (hasKeyboard(box.current)) ',
    tests: ['e2e/watch-the-slides.spec.ts'],
  },
] satisfies Mutant[]
