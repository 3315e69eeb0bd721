/**
 * So many places, taken in the order of their coming. `take` gives how to leave; it rejects with what `tooLate` makes where
 * there was no place `until` then, by performance.now().
 */
export function createTurns(places: number, tooLate: () => Error) {
  const waiting: (() => void)[] = []
  let free = places
  const leave = () => {
    const next = waiting.shift()
    if (next) next()
    else free += 1
  }
  return async function take(until: number) {
    if (free > 0) {
      free -= 1
      return leave
    }
    await new Promise<void>((resolve, reject) => {
      const giveUp = () => {
        waiting.splice(waiting.indexOf(enter), 1)
        reject(tooLate())
      }
      const timer = setTimeout(giveUp, until - performance.now())
      const enter = () => {
        clearTimeout(timer)
        resolve()
      }
      waiting.push(enter)
    })
    return leave
  }
}
