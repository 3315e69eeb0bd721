import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Where the site's own secret lies. */
export function secretFile(dataFolder: string) {
  return join(dataFolder, 'secret')
}

/**
 * The site's own secret, kept in the data folder for its user alone and made, whole or not at all, at the first start.
 * Throws where it is there and empty: without a secret nobody could sign in.
 */
export function readOrMakeSecret(dataFolder: string) {
  const file = secretFile(dataFolder)
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 })
  if (!existsSync(file)) makeSecret(file)
  const secret = readFileSync(file, 'utf8').trim()
  if (!secret) throw new Error(`${file} が空です。消してからサイトを始め直すと、新しく作ります。`)
  return secret
}

function makeSecret(file: string) {
  const made = `${file}.${process.pid}.new`
  try {
    writeFileSync(made, randomBytes(32).toString('base64url'), { mode: 0o600, flush: true })
    linkSync(made, file)
  } catch (error) {
    // Made this moment by another process that serves the same database.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(made, { force: true })
  }
}
