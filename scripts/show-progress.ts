const EVERY_MS = 2000
let saidAt = performance.now()

export function showProgress(doing: string, done: string) {
  if (performance.now() - saidAt < EVERY_MS) return
  saidAt = performance.now()
  console.log(`${doing}… ${done}`)
}
