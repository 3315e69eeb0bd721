// Worker thread that requests the home page every 50 ms and reports the duration of each response at the end.
import { get } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'

const { address } = workerData as { address: string }
const waits: number[] = []
let failureCount = 0

const timer = setInterval(() => {
  const began = performance.now()
  const countFailure = () => {
    failureCount += 1
  }
  get(`${address}/`, { agent: false }, (response) => {
    if (response.statusCode !== 200) countFailure()
    response.resume().on('end', () => waits.push(performance.now() - began))
  }).on('error', countFailure)
}, 50)

parentPort?.once('message', () => {
  clearInterval(timer)
  parentPort?.postMessage({ waits, refused: failureCount })
  parentPort?.close()
})
