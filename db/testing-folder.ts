import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ABANDONED_AFTER_MS = 60 * 60_000

/**
 * Creates the temporary folder of a test run and sets it as TMPDIR of the process. Returns a function that removes the
 * folder. A run within another run uses the folder of the outer run.
 */
export default function openTemporaryFolder() {
  if (process.env.TMPDIR?.includes('noren-tests-')) return () => {}
  const folder = newRunFolder('noren-tests')
  process.env.TMPDIR = folder
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

/**
 * Creates a folder named after this process, in memory if two gigabytes of memory are free. Removes the folders of
 * killed runs.
 */
export function newRunFolder(name: 'noren-tests' | 'noren-postgres') {
  const parent = quickFolder()
  removeAbandoned(parent)
  return mkdtempSync(join(parent, `${name}-${process.pid}-`))
}

function quickFolder() {
  const memory = '/dev/shm'
  if (!existsSync(memory)) return tmpdir()
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize > 2e9 ? memory : tmpdir()
}

function removeAbandoned(parent: string) {
  for (const name of readdirSync(parent)) {
    const [, pid] = /^noren-(?:tests|postgres)-(\d+)-/.exec(name) ?? []
    if (pid === undefined || isRunning(Number(pid))) continue
    const folder = join(parent, name)
    try {
      // The owner of this folder may run in another container, where process IDs differ. The age of the folder
      // therefore decides.
      if (Date.now() - statSync(folder).mtimeMs < ABANDONED_AFTER_MS) continue
      const postmaster = join(folder, 'postmaster.pid')
      if (existsSync(postmaster)) process.kill(Number.parseInt(readFileSync(postmaster, 'utf8'), 10), 'SIGQUIT')
    } catch {
      // The PostgreSQL server has already ended.
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

function isRunning(pid: number) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
