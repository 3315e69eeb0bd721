// A thread of its own (thread.server.ts): what argon2id is asked for comes in, the hash goes out. Plain JavaScript, since a
// thread that reads TypeScript takes 15 MB more.
import { argon2Sync } from 'node:crypto'
import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'

// On Linux the priority of this thread alone: who is served comes first.
setPriority(10)

parentPort?.on('message', (parameters) => parentPort?.postMessage(argon2Sync('argon2id', parameters)))
