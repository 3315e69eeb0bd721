import { useEffect } from 'react'
import { useRouteLoaderData } from 'react-router'
import { notifyAll } from '../live/stream-client.ts'
import { useLive } from '../live/use-live.ts'
import { everyMinute } from '../ui/clock.ts'
import { type GuestNotice, isOnPage } from './notice.ts'

/** `notices` is the JSON of the notices that guests see. `nextNoticeChange` is an instant in milliseconds since 1970, or null. */
type RootData = { notices: string; nextNoticeChange: number | null; asOf: number }

const useRootData = () => useRouteLoaderData('root') as RootData | undefined

/** Revalidates the page when a notice is changed, appears or disappears. */
export function useNoticeUpdates() {
  const { nextNoticeChange = null, asOf = 0 } = useRootData() ?? {}
  useLive('notices')
  useEffect(() => {
    if (nextNoticeChange === null) return
    return everyMinute(asOf, (now) => {
      if (now >= nextNoticeChange) notifyAll()
    })
  }, [nextNoticeChange])
}

/** Returns the notices that the page shows now. */
export function useNotices(page: string) {
  useNoticeUpdates()
  const notices: GuestNotice[] = JSON.parse(useRootData()?.notices ?? '[]')
  return notices.filter((notice) => isOnPage(notice, page))
}
