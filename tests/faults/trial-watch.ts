import { setTimeout as pause } from 'node:timers/promises'
import { type Goal, none, within } from './trial-goals.ts'
import { send } from './trial-requests.ts'

const KEPT = ['/', '/dining', '/calendar']
const LOOKS_EVERY_MS = 100
const SHOWS_WITHIN_MS = 300
const HEALTH_WITHIN_MS = 1000
const WITH_ITS_TIME = '現在のページを表示しています'

export type Watch = ReturnType<typeof openWatch>

/**
 * Somebody who looks at the pages that are kept, and at the site's health, all the while that something is wrong: `truthful`
 * says whether that may be said of the health then.
 */
export function openWatch(truthful: (status: number) => boolean) {
  const pages: number[] = []
  const healths: number[] = []
  const wrong: string[] = []
  let withTime = 0

  async function timed(path: string, address: string) {
    const began = performance.now()
    const reply = await send(address, path)
    return { reply, ms: performance.now() - began }
  }

  return {
    /** Each page as it is now stands ready from here on. */
    async before(address: string) {
      for (const path of KEPT) await send(address, path)
    },
    async during(address: string, over: AbortSignal) {
      for (let look = 0; !over.aborted; look += 1) {
        const path = KEPT[look % KEPT.length] ?? '/'
        const [page, health] = await Promise.all([timed(path, address), timed('/api/health', address)])
        // What began before the end and was answered after it tells of neither.
        if (over.aborted) return
        pages.push(page.ms)
        healths.push(health.ms)
        if (page.reply?.body.includes(WITH_ITS_TIME)) withTime += 1
        if (page.reply?.status !== 200) wrong.push(`${path} was answered ${page.reply?.status ?? 'not at all'}`)
        const { status = 0, body = '' } = health.reply ?? {}
        if (!truthful(status)) wrong.push(`health was answered ${status} ${body}`)
        await pause(LOOKS_EVERY_MS)
      }
    },
    withTime: () => withTime,
    goals: (): Goal[] => [
      within('a kept page meanwhile', pages, SHOWS_WITHIN_MS),
      within('health meanwhile', healths, HEALTH_WITHIN_MS),
      none('no page, or an untrue health', wrong),
    ],
  }
}
