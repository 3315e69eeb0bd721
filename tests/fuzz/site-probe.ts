// Preloaded into the site under test. Reports its heap after a full garbage collection, and the longest turn of its
// event loop. The turn is in milliseconds of the main thread's CPU time, so that other programs do not lengthen it.
const SAMPLE_INTERVAL_MS = 2

let longestTurnMs = 0
let before = process.threadCpuUsage()
setInterval(() => {
  const now = process.threadCpuUsage()
  longestTurnMs = Math.max(longestTurnMs, (now.user + now.system - before.user - before.system) / 1000)
  before = now
}, SAMPLE_INTERVAL_MS).unref()

/** Responses of this process, by question. The longest turn is measured since the last question. */
export type ProbeResponses = { 'longest turn': number; memory: NodeJS.MemoryUsage }

process.on('message', async (question: keyof ProbeResponses) => {
  if (question === 'longest turn') {
    process.send?.(longestTurnMs satisfies ProbeResponses['longest turn'])
    longestTurnMs = 0
    return
  }
  // Objects that one collection frees may release more, so it runs repeatedly.
  for (let time = 0; time < 4; time += 1) {
    globalThis.gc?.()
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  process.send?.(process.memoryUsage() satisfies ProbeResponses['memory'])
})
