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

const fullDisks = {
  'without free bytes': [mount('size=1300k'), 'dd if=/dev/zero of="$PLACE/fill" bs=4k 2>/dev/null'],
  'without free inodes': [
    mount('size=4m,nr_inodes=12'),
    'n=0; while touch "$PLACE/$n"; do n=$((n+1)); done 2>/dev/null',
  ],
}
const programs = {
  start: 'server/main.ts',
  'first start': 'server/main.ts',
  doctor: 'scripts/doctor.ts',
  backup: 'scripts/backup.ts',
}

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
    Object.entries(fullDisks).flatMap(([disk, [make, fill]]) =>
      Object.entries(programs).map(([name, program]) => [name, disk, make, fill, program] as const),
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
