import { useEffect, useState } from 'react'
import { useRevalidator, useRouteLoaderData } from 'react-router'
import { visitorPartOf } from './cursor.ts'
import { type Notification, subscribe } from './subscription.ts'
import type { Topic } from './topics.ts'

const LOOK_AGAIN_AFTER = 5000

/** Revalidates the page when a topic changes. Waits while the page is hidden or the server is unreachable. */
export function useLive(...topics: Topic[]) {
  const names = topics.join()
  useRevalidationOn(
    names,
    (news) => news === 'anything' || (news !== 'visitor' && topics.some((topic) => news.includes(topic))),
  )
}

/** Revalidates the page if `concerns` returns true for a notification. `concerns` may change only with `names`. */
export function useRevalidationOn(names: string, concerns: (news: Notification) => boolean) {
  const { state, revalidate } = useRevalidator()
  const shown = useRouteLoaderData('root') as { lastChange: string } | undefined
  const [stale, setStale] = useState(false)
  const visitor = shown && visitorPartOf(shown.lastChange)

  useEffect(() => {
    if (!shown) return
    return subscribe(shown.lastChange, (news) => {
      if (concerns(news)) setStale(true)
    })
  }, [names, visitor])

  useEffect(() => {
    if (!stale || state !== 'idle') return
    let timer: ReturnType<typeof setTimeout>
    let gone = false
    // A failed loader would replace the page with an error page, so the health of the server is checked first.
    const look = async () => {
      const well = await fetch('/api/health').then(
        // With a full disk (507) the server can still read.
        ({ ok, status }) => ok || status === 507,
        () => false,
      )
      if (gone) return
      if (!well) timer = setTimeout(look, LOOK_AGAIN_AFTER)
      else {
        setStale(false)
        revalidate()
      }
    }
    look()
    return () => {
      gone = true
      clearTimeout(timer)
    }
  }, [stale, state, revalidate])
}
