/** FIFO semaphore with `places` slots and a total size of `room`. Callers must reject a larger size in advance. */
export function createGate({ places, room }: { places: number; room: number }) {
  const waiting: { size: number; enter: () => void }[] = []
  let inside = 0
  let taken = 0
  const letIn = () => {
    for (let next = waiting[0]; next && inside < places && taken + next.size <= room; next = waiting[0]) {
      waiting.shift()
      inside += 1
      taken += next.size
      next.enter()
    }
  }
  return {
    waiting: () => waiting.length,
    async pass<T>(size: number, work: () => Promise<T>) {
      await new Promise<void>((enter) => {
        waiting.push({ size, enter })
        letIn()
      })
      try {
        return await work()
      } finally {
        inside -= 1
        taken -= size
        letIn()
      }
    },
  }
}
