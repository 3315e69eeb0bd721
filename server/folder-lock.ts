import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import { withFullDiskError } from '../db/sqlite.ts'

// A reference prevents garbage collection, which would close the database and release the lock.
const locks = new Set<SQLite.Database>()

/** Locks until this process ends. Throws if another process holds the lock. Commands take no lock. */
export function lockFolder(dataFolder: string) {
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 })
  // SQLite's lock works on every operating system and on folders shared between containers.
  const file = join(dataFolder, 'serving.lock')
  const lock = withFullDiskError(file, () => new SQLite(file, { timeout: 0 }))
  try {
    lock.pragma('locking_mode = exclusive')
    lock.exec('begin exclusive')
  } catch (error) {
    lock.close()
    if (error instanceof SQLite.SqliteError && error.code === 'SQLITE_BUSY')
      throw new Error(
        `データの置き場所（${dataFolder}）では、すでにサイトが動いています。一つの置き場所で動かせるのは一つだけです。動いているほうを止めてから、もう一度起動してください。`,
      )
    throw error
  }
  locks.add(lock)
}
