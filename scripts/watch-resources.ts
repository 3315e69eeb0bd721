import { readFileSync, statfsSync } from 'node:fs'
import { freemem } from 'node:os'

const INTERVAL_MS = 1000

/** `stop` returns the peaks in MB since the start. */
export function watchResources(folder: string) {
  const start = { memory: availableMemory(), files: freeBytes(folder) }
  const least = { ...start }
  const timer = setInterval(() => {
    least.memory = Math.min(least.memory, availableMemory())
    least.files = Math.min(least.files, freeBytes(folder))
  }, INTERVAL_MS)
  timer.unref()
  return {
    stop() {
      clearInterval(timer)
      return { memory: inMegabytes(start.memory - least.memory), files: inMegabytes(start.files - least.files) }
    },
  }
}

function freeBytes(folder: string) {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

// freemem() counts the file cache as used.
function availableMemory() {
  if (process.platform !== 'linux') return freemem()
  const [, kilobytes] = /MemAvailable:\s+(\d+)/.exec(readFileSync('/proc/meminfo', 'utf8')) ?? []
  return Number(kilobytes) * 1024
}

function inMegabytes(bytes: number) {
  return Math.round(Math.max(0, bytes) / 1e6)
}
