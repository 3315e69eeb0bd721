// Worker thread (thread.server.ts) that computes argon2id hashes. The file is plain JavaScript, because a thread that
// loads TypeScript takes 15 MB more.
import { argon2Sync } from 'node:crypto'
import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'

// On Linux this call lowers the priority of this thread alone, so that requests have priority over hashing.
setPriority(10)

parentPort?.on('message', (parameters) => parentPort?.postMessage(argon2Sync('argon2id', parameters)))
