import { useEffect, useState } from 'react'
import { useRevalidator, useRouteLoaderData } from 'react-router'
import { whose } from './change.ts'
import { type Heard, join } from './listening.ts'
import type { Topic } from './topics.ts'

const LOOK_AGAIN_AFTER = 5000

/**
 * Keeps the page's data fresh: when something under these topics changes, its loader runs again, one at a time and once
 * more for what came meanwhile. A hidden page waits until it is seen, and one that cannot be answered keeps what it has.
 */
export function useLive(...topics: Topic[]) {
  const names = topics.join()
  useNews(names, (news) => news === 'anything' || (news !== 'visitor' && topics.some((topic) => news.includes(topic))))
}

/** Reads the page's data again when its visitor is signed out, or may see other things than before. */
export function useSameVisitor() {
  useNews('', (news) => news === 'visitor')
}

// `concerns` says whether news make the page's data stale; it may only differ where `names` do.
function useNews(names: string, concerns: (news: Heard) => boolean) {
  const { state, revalidate } = useRevalidator()
  const shown = useRouteLoaderData('root') as { lastChange: string } | undefined
  const [stale, setStale] = useState(false)
  const visitor = shown && whose(shown.lastChange)

  useEffect(() => {
    if (!shown) return
    return join(shown.lastChange, (news) => {
      if (concerns(news)) setStale(true)
    })
  }, [names, visitor])

  useEffect(() => {
    if (!stale || state !== 'idle') return
    let timer: ReturnType<typeof setTimeout>
    let gone = false
    // A loader that fails would put an error in the place of what is shown: first make sure that it can be answered.
    const look = async () => {
      const well = await fetch('/api/health').then(
        // Without room on its disk it can still be read.
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
