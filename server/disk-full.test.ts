import { spawnSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../db/open.ts'
import { lockFolder } from './folder-lock.ts'

const { PATH, NODE_COMPILE_CACHE } = process.env
const mountPoint = mkdtempSync(join(tmpdir(), 'noren-full-'))
const mount = (options: string) => `mount -t tmpfs -o ${options} tmpfs "$PLACE"`
// Runs a script in its own mount namespace. Linux lets every user create such a namespace, unless its settings forbid
// this.
const inNamespace = (script: string, env = {}) =>
  spawnSync('unshare', ['-rm', 'sh', '-c', script], {
    env: { PATH, NODE_COMPILE_CACHE, PLACE: mountPoint, ...env },
    encoding: 'utf8',
  })
const canMount = inNamespace(mount('size=1m')).status === 0

const fullDisks: Record<'without free bytes' | 'without free inodes', [make: string, fill: string]> = {
  'without free bytes': [mount('size=1300k'), 'dd if=/dev/zero of="$PLACE/fill" bs=4k 2>/dev/null'],
  'without free inodes': [
    mount('size=4m,nr_inodes=12'),
    'n=0; while touch "$PLACE/$n"; do n=$((n+1)); done 2>/dev/null',
  ],
}
type Disk = keyof typeof fullDisks
const allDisks = Object.keys(fullDisks) as Disk[]
// The programs print the sentence of the same function, so that both disks are tested with only one program.
const programs: [name: string, program: string, disks: Disk[]][] = [
  ['start', 'server/main.ts', allDisks],
  ['first start', 'server/main.ts', ['without free bytes']],
  ['doctor', 'scripts/doctor.ts', ['without free inodes']],
  ['backup', 'scripts/backup.ts', ['without free bytes']],
]

let site: string
beforeAll(async () => {
  site = mkdtempSync(join(tmpdir(), 'noren-full-site-'))
  lockFolder(site)
  const db = await openDatabase({ file: join(site, 'site.db') })
  await db.destroy()
})

// If the disk has no free bytes, SQLite reports an I/O error. If the disk has no free inodes, SQLite cannot open a
// file.
test
  .runIf(canMount)
  .each(
    programs.flatMap(([name, program, disks]) =>
      disks.map((disk) => [name, disk, ...fullDisks[disk], program] as const),
    ),
  )('prints that the disk is full when %s runs on a disk %s', (name, _disk, make, fill, program) => {
  const copy = name === 'first start' ? 'true' : `cp -r ${site}/. "$PLACE"`
  const run = `"${process.execPath}" ${program}`
  const { stdout, stderr, status } = inNamespace(`${make} && ${copy} && ${fill}; ${run}`, {
    DATA_DIR: mountPoint,
    DATABASE_URL: '',
    HOLIDAYS_URL: '',
    PORT: '0',
  })
  const output = stdout + stderr
  expect(status).toBe(1)
  expect(output).toContain('ディスクに空きがないか、ファイルの数が上限に達しています')
  expect(output).not.toMatch(/故障|権限/)
})
