const EVERY_MS = 2000
let saidAt = performance.now()

/** Tells how far long work is, every two seconds; short work ends before it says anything. */
export function showProgress(doing: string, done: string) {
  if (performance.now() - saidAt < EVERY_MS) return
  saidAt = performance.now()
  console.log(`${doing}… ${done}`)
}
