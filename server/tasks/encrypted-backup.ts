import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Decrypter, Encrypter, identityToRecipient } from 'age-encryption'
import { createFileStream, damagedMessage, InvalidBackup } from '../../db/backup-file.ts'

/** Passphrase, or age key. A public age key can only encrypt. */
type Key = { passphrase?: string | undefined; ageKey?: string | undefined }

// scrypt uses 64 MB with this factor, and 256 MB with the default factor of the library. Settings require a long
// passphrase.
const SCRYPT_WORK_FACTOR = 16

/** Encrypts a file in the format of age. Returns the size and the SHA-256 of the encrypted file. */
export async function encryptFile(file: string, target: string, key: Key, progress: () => void) {
  const encrypter = await createEncrypter(key)
  const encrypted = await encrypter.encrypt(Readable.toWeb(createReadStream(file)) as ReadableStream<Uint8Array>)
  const hash = createHash('sha256')
  let size = 0
  await pipeline(
    encrypted,
    async function* (chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        hash.update(chunk)
        size += chunk.length
        progress()
        yield chunk
      }
    },
    await createFileStream(target),
  )
  return { size, sha256: hash.digest('hex') }
}

async function createEncrypter({ passphrase, ageKey }: Key) {
  const encrypter = new Encrypter()
  if (passphrase) {
    encrypter.setPassphrase(passphrase)
    encrypter.setScryptWorkFactor(SCRYPT_WORK_FACTOR)
    return encrypter
  }
  try {
    encrypter.addRecipient(isSecretKey(ageKey) ? await identityToRecipient(ageKey) : (ageKey ?? ''))
    return encrypter
  } catch (cause) {
    throw new InvalidBackup(invalidKeyMessage, { cause })
  }
}

const invalidKeyMessage = '設定 BACKUP_AGE_KEY が age の鍵として読めません。書き間違いがないかをご確認ください。'

function isSecretKey(ageKey: string | undefined): ageKey is string {
  return ageKey?.startsWith('AGE-SECRET-KEY-') ?? false
}

/** Decrypts into a file. Throws InvalidBackup if the key is wrong or the content is damaged. */
export async function decryptToFile(chunks: AsyncIterable<Uint8Array>, target: string, key: Key) {
  const decrypter = createDecrypter(key)
  let sourceError: unknown
  async function* source() {
    try {
      yield* chunks
    } catch (error) {
      sourceError = error
      throw error
    }
  }
  try {
    const decrypted = await decrypter.decrypt(Readable.toWeb(Readable.from(source())) as ReadableStream<Uint8Array>)
    await pipeline(decrypted, await createFileStream(target))
  } catch (error) {
    if (sourceError) throw sourceError
    const { code, message } = error as NodeJS.ErrnoException
    if (code) throw error
    throw new InvalidBackup(message.startsWith('no identity matched') ? wrongKeyMessage(key) : damagedMessage, {
      cause: error,
    })
  }
}

function createDecrypter({ passphrase, ageKey }: Key) {
  const decrypter = new Decrypter()
  if (passphrase) decrypter.addPassphrase(passphrase)
  else if (isSecretKey(ageKey)) {
    try {
      decrypter.addIdentity(ageKey)
    } catch (cause) {
      throw new InvalidBackup(invalidKeyMessage, { cause })
    }
  } else
    throw new InvalidBackup(
      '控えを開くには、設定 BACKUP_AGE_KEY に、公開鍵（age1…）ではなく秘密鍵（AGE-SECRET-KEY-…）を書いてください。',
    )
  return decrypter
}

const wrongKeyMessage = ({ passphrase }: Key) =>
  passphrase
    ? 'パスフレーズが違います。設定 BACKUP_PASSPHRASE に、控えを送ったときのパスフレーズを書いてください。'
    : '鍵が違います。設定 BACKUP_AGE_KEY に、控えを送ったときの公開鍵と対になる秘密鍵を書いてください。'
