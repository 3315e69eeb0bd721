import { useRouteLoaderData } from 'react-router'
import { useRevalidationAt } from '../dates/use-revalidation-at.ts'
import { type GuestNotice, isOnPage } from './notice.ts'

/** `notices` is the JSON of the notices that guests see. `nextNoticeChange` is a time in Japan, or ''. */
type RootData = { notices: string; nextNoticeChange: string; asOf: number }

const useRootData = () => useRouteLoaderData('root') as RootData | undefined

/** Revalidates the page when a notice appears or disappears. `LiveUpdates` does so when a notice is changed. */
export function useNoticeUpdates() {
  const { nextNoticeChange = '', asOf = 0 } = useRootData() ?? {}
  useRevalidationAt(nextNoticeChange, asOf)
}

export function useNotices(page: string) {
  useNoticeUpdates()
  const notices: GuestNotice[] = JSON.parse(useRootData()?.notices ?? '[]')
  return notices.filter((notice) => isOnPage(notice, page))
}
