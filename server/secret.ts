import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The site's own secret, kept in the data folder for its user alone and made at the first start. Throws where that start was
 * interrupted, or is another process's and under way: without a secret nobody could sign in.
 */
export function readOrMakeSecret(dataFolder: string) {
  const file = join(dataFolder, 'secret')
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 })
  try {
    writeFileSync(file, randomBytes(32).toString('base64url'), { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const secret = readFileSync(file, 'utf8').trim()
  if (!secret) throw new Error(`${file} が空です。消してからサイトを始め直すと、新しく作ります。`)
  return secret
}
