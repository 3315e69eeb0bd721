import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export function secretFile(dataFolder: string) {
  return join(dataFolder, 'secret')
}

/** Returns the secret, and creates its file atomically at the first start. Throws like `readSecret`. */
export function readOrCreateSecret(dataFolder: string) {
  const file = secretFile(dataFolder)
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 })
  if (!existsSync(file)) createSecret(file)
  return readSecret(file)
}

export const MIN_SECRET_LENGTH = 32

/** Returns the secret. Throws an error in Japanese if the file is a folder or the secret is too short. */
export function readSecret(file: string) {
  const restartSentence = 'サイトを再起動すると、新しく作ります（すべての方がログインし直すことになります）。'
  if (statSync(file).isDirectory()) throw new Error(`${file} がフォルダーです。別の場所に移してから${restartSentence}`)
  const secret = readFileSync(file, 'utf8').trim()
  if (secret.length < MIN_SECRET_LENGTH)
    throw new Error(`${file} が空か短すぎます。${MIN_SECRET_LENGTH}文字以上が必要です。消してから${restartSentence}`)
  return secret
}

function createSecret(file: string) {
  const temporaryFile = `${file}.${process.pid}.new`
  try {
    writeFileSync(temporaryFile, randomBytes(32).toString('base64url'), { mode: 0o600, flush: true })
    linkSync(temporaryFile, file)
  } catch (error) {
    // Another process on the same database has just created the secret.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(temporaryFile, { force: true })
  }
}
