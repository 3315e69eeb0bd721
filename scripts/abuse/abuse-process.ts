// Read by Node before the site: tells who started it how large the heap is when nothing superfluous is in it.
process.on('message', async () => {
  // What was freed by one collection lets go of more.
  for (let time = 0; time < 4; time += 1) {
    globalThis.gc?.()
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  process.send?.(process.memoryUsage())
})
