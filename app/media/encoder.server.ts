import { inOwnProcess } from '../platform/own-process.server.ts'
import type { Encoded, Refusal } from './encode.ts'
import type { Box } from './image.ts'

let last: Promise<unknown> = Promise.resolve()

/** Encodes images one at a time, each in its own process. Throws if the process is killed. */
export function encode(bytes: Buffer, box: Box): Promise<Encoded | Refusal> {
  const turn = last.then(() => inOwnProcess<Encoded | Refusal>('app/media/encode-process.ts', { bytes, box }))
  last = turn.catch(() => {})
  return turn
}
