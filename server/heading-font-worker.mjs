// A thread of its own (app/thread.server.ts): the characters come in, the font goes out. Plain JavaScript, as the other.
import { readFile } from 'node:fs/promises'
import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import subsetFont from 'subset-font'

const file = '@expo-google-fonts/shippori-mincho/600SemiBold/ShipporiMincho_600SemiBold.ttf'
const source = await readFile(new URL(import.meta.resolve(file)))

// On Linux the priority of this thread alone: who is served comes first.
setPriority(10)

parentPort?.on('message', async (text) => {
  const font = await subsetFont(source, text, {
    targetFormat: 'woff2',
    keepFeatures: ['palt', 'vert', 'vpal', 'kern'],
    noHinting: true,
  })
  parentPort?.postMessage(font)
})
