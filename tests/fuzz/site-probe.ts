// This script is preloaded into the site under test. The script reports the heap after a full garbage collection, and
// the longest event-loop turn. Turns are measured in CPU time of the main thread, so that other programs do not
// lengthen the turns.
const SAMPLE_INTERVAL_MS = 2

let longestTurnMs = 0
let before = process.threadCpuUsage()
setInterval(() => {
  const now = process.threadCpuUsage()
  longestTurnMs = Math.max(longestTurnMs, (now.user + now.system - before.user - before.system) / 1000)
  before = now
}, SAMPLE_INTERVAL_MS).unref()

/**
 * Responses of this process, by question. 'longest turn' is in milliseconds, and is measured since the previous
 * question.
 */
export type ProbeResponses = { 'longest turn': number; memory: NodeJS.MemoryUsage }

process.on('message', async (question: keyof ProbeResponses) => {
  if (question === 'longest turn') {
    process.send?.(longestTurnMs satisfies ProbeResponses['longest turn'])
    longestTurnMs = 0
    return
  }
  // The objects that one garbage collection frees may release more objects, so the collection runs repeatedly.
  for (let time = 0; time < 4; time += 1) {
    globalThis.gc?.()
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  process.send?.(process.memoryUsage() satisfies ProbeResponses['memory'])
})
