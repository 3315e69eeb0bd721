import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import { namingFullDisk } from '../db/sqlite.ts'

// One that nobody held any more would be closed, and with it the claim.
const held = new Set<SQLite.Database>()

/**
 * Claims a data folder for this process, for as long as it lives: the system takes the claim back however it ends. Throws,
 * in a sentence for the owner, where another one has it. Commands may work beside.
 */
export function claimFolder(dataFolder: string) {
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 })
  // A lock that every system has, and that a folder shared between containers has too.
  const file = join(dataFolder, 'serving.lock')
  const lock = namingFullDisk(file, () => new SQLite(file, { timeout: 0 }))
  try {
    lock.pragma('locking_mode = exclusive')
    lock.exec('begin exclusive')
  } catch (error) {
    lock.close()
    if (error instanceof SQLite.SqliteError && error.code === 'SQLITE_BUSY') throw new Error(alreadyServed(dataFolder))
    throw error
  }
  held.add(lock)
}

function alreadyServed(dataFolder: string) {
  return `データの置き場所（${dataFolder}）では、もうサイトが動いています。一つの置き場所で動かせるのは一つだけです。動いているほうを止めてから、もう一度始めてください。`
}
