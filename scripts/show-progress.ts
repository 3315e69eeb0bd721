const INTERVAL_MS = 2000
let shownAt = performance.now()

/** Prints the progress of a long task every two seconds. Prints nothing unless the output is a terminal. */
export function showProgress(task: string, done: string) {
  if (!process.stdout.isTTY || performance.now() - shownAt < INTERVAL_MS) return
  shownAt = performance.now()
  console.log(`${task}… ${done}`)
}
