import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Where the site's own secret lies. */
export function secretFile(dataFolder: string) {
  return join(dataFolder, 'secret')
}

/**
 * The site's own secret, kept in the data folder for its user alone and made, whole or not at all, at the first start.
 * Throws as `readSecret` does.
 */
export function readOrMakeSecret(dataFolder: string) {
  const file = secretFile(dataFolder)
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 })
  if (!existsSync(file)) makeSecret(file)
  return readSecret(file)
}

const MIN_LENGTH = 32

/** Reads a secret. Throws, in a sentence for the owner, if it is a folder or can be guessed. */
export function readSecret(file: string) {
  const again = 'サイトを始め直すと、新しく作ります（みなさんログインし直しになります）。'
  if (statSync(file).isDirectory()) throw new Error(`${file} がフォルダーです。別の場所に移してから${again}`)
  const secret = readFileSync(file, 'utf8').trim()
  if (secret.length < MIN_LENGTH)
    throw new Error(`${file} が空か短すぎます。${MIN_LENGTH}文字以上が要ります。消してから${again}`)
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
