// A thread of its own (thread.server.ts): what argon2id is asked for comes in, the hash goes out.
import { type Argon2Parameters, argon2Sync } from 'node:crypto'
import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'

// On Linux the priority of this thread alone: who is served comes first.
setPriority(10)

parentPort?.on('message', (parameters: Argon2Parameters) => parentPort?.postMessage(argon2Sync('argon2id', parameters)))
