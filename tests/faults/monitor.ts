import { setTimeout as pause } from 'node:timers/promises'
import { type Goal, noneGoal, withinGoal } from './goals.ts'
import { send } from './requests.ts'

const CACHED_PAGES = ['/', '/dining', '/calendar']
const CHECK_INTERVAL_MS = 100
const PAGE_TIMEOUT_MS = 300
const HEALTH_TIMEOUT_MS = 1000
const STALE_NOTICE = '現在のページを表示しています'

export type Monitor = ReturnType<typeof openMonitor>

/**
 * Opens a monitor that polls cached pages and the health check during a fault. `isCorrectHealth` returns whether a
 * status of the health check is correct during the fault.
 */
export function openMonitor(isCorrectHealth: (status: number) => boolean) {
  const pages: number[] = []
  const healths: number[] = []
  const failures: string[] = []
  let staleCount = 0

  async function measure(path: string, address: string) {
    const began = performance.now()
    const reply = await send(address, path)
    return { reply, ms: performance.now() - began }
  }

  return {
    /** Fills the page cache. */
    async fillCache(address: string) {
      for (const path of CACHED_PAGES) await send(address, path)
    },
    async poll(address: string, stopping: AbortSignal) {
      for (let round = 0; !stopping.aborted; round += 1) {
        const path = CACHED_PAGES[round % CACHED_PAGES.length] ?? '/'
        const [page, health] = await Promise.all([measure(path, address), measure('/api/health', address)])
        // A request that began during the fault but ended after the fault is ignored, because it measures neither
        // state.
        if (stopping.aborted) return
        pages.push(page.ms)
        healths.push(health.ms)
        if (page.reply?.body.includes(STALE_NOTICE)) staleCount += 1
        if (page.reply?.status !== 200) failures.push(`${path} status ${page.reply?.status ?? 'none'}`)
        const { status = 0, body = '' } = health.reply ?? {}
        if (!isCorrectHealth(status)) failures.push(`/api/health: status ${status} ${body}`)
        await pause(CHECK_INTERVAL_MS)
      }
    },
    staleCount: () => staleCount,
    goals: (): Goal[] => [
      withinGoal('cached page during the fault', pages, PAGE_TIMEOUT_MS),
      withinGoal('health check during the fault', healths, HEALTH_TIMEOUT_MS),
      noneGoal('missing pages or wrong health', failures),
    ],
  }
}
