// Worker thread (thread.server.ts) that looks up passwords in the list of @zxcvbn-ts. The file is plain JavaScript,
// because a thread that loads TypeScript takes 15 MB more.
import { parentPort } from 'node:worker_threads'
import { dictionary } from '@zxcvbn-ts/language-common'

const commonPasswords = new Set(dictionary['passwords-common'])

parentPort?.on('message', (password) => parentPort?.postMessage(commonPasswords.has(password)))
