import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import openTemporaryFolder from '../db/testing-folder.ts'

// The first room is mutated. The tests of all named rooms run. All other arguments are options of Stryker.
const args = process.argv.slice(2)
const isRoom = (name: string) => /^[a-z]+$/.test(name) && existsSync(join('app', name))
const rooms = args.filter(isRoom)
const options = args.filter((arg) => !isRoom(arg))
let cleanUp = () => {}
if (rooms[0]) {
  const files = `app/${rooms[0]}/**/*.ts,app/${rooms[0]}/**/*.tsx,!app/**/*.test.ts,!app/**/testing-*.ts`
  options.unshift('--mutate', files, '--ignoreStatic')
  process.env.MUTANTS_ROOMS = rooms.join()
  process.env.TEST_POSTGRES = 'none'
  cleanUp = openTemporaryFolder()
}
// Stryker ends at SIGINT. This process then removes its files.
process.on('SIGINT', () => {})
const stryker = spawn(process.execPath, ['node_modules/@stryker-mutator/core/bin/stryker.js', 'run', ...options], {
  stdio: 'inherit',
})
const [status] = await once(stryker, 'exit')
cleanUp()
process.exit(status ?? 1)
