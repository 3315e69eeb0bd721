import { useEffect, useState } from 'react'
import { useRevalidator, useRouteLoaderData } from 'react-router'
import { visitorPartOf } from './cursor.ts'
import { type Notification, subscribe } from './stream-client.ts'
import type { Topic } from './topics.ts'

const HEALTH_CHECK_INTERVAL_MS = 5000

export function useLive(...topics: Topic[]) {
  const names = topics.join()
  useRevalidationOn(
    names,
    (notification) =>
      notification === 'anything' ||
      (notification !== 'visitor' && topics.some((topic) => notification.includes(topic))),
  )
}

/** Revalidates on relevant notifications. A changed `isRelevant` takes effect only when `names` changes too. */
export function useRevalidationOn(names: string, isRelevant: (notification: Notification) => boolean) {
  const { state, revalidate } = useRevalidator()
  const rootData = useRouteLoaderData('root') as { lastChange: string } | undefined
  const [stale, setStale] = useState(false)
  const visitor = rootData && visitorPartOf(rootData.lastChange)

  useEffect(() => {
    if (!rootData) return
    return subscribe(rootData.lastChange, (notification) => {
      if (isRelevant(notification)) setStale(true)
    })
  }, [names, visitor])

  useEffect(() => {
    if (!stale || state !== 'idle') return
    let timer: ReturnType<typeof setTimeout>
    let isStopped = false
    // A failed loader would replace the page with an error page, so the health of the server is checked first.
    const revalidateIfHealthy = async () => {
      const isHealthy = await fetch('/api/health').then(
        // If the disk is full (507), the server can still read data.
        ({ ok, status }) => ok || status === 507,
        () => false,
      )
      if (isStopped) return
      if (!isHealthy) timer = setTimeout(revalidateIfHealthy, HEALTH_CHECK_INTERVAL_MS)
      else {
        setStale(false)
        revalidate()
      }
    }
    revalidateIfHealthy()
    return () => {
      isStopped = true
      clearTimeout(timer)
    }
  }, [stale, state, revalidate])
}
