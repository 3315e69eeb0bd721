import { useEffect, useRef, useState } from 'react'
import { useFetcher, useLocation } from 'react-router'
import type { MessageRow } from '../../db/tables.ts'
import type { InboxView } from './inbox-view.ts'

type Seen = Pick<MessageRow, 'id' | 'readAt' | 'spam'>

/** The ids of what somebody put back, which stays so for as long as our scripts live in this tab. */
export const putBack = new Set<string>()

/**
 * Keeps the messages as opened that somebody sees: not those that come while the page lies open, until it is looked at
 * anew, and not in a list of the unread, out of which they would be gone before they are read. Gives which they were.
 */
export function useOpening(messages: Seen[], show: InboxView['show']) {
  const { submit } = useFetcher()
  const { key } = useLocation()
  const [opened, setOpened] = useState<string[]>([])
  const shown = useRef(messages)
  shown.current = messages
  useEffect(() => {
    const open = () => {
      const ids = shown.current.filter(isUnread).map(({ id }) => id)
      const fresh = ids.filter((id) => !putBack.has(id))
      if (document.hidden || fresh.length === 0 || show === 'unread') return
      setOpened(fresh)
      const fields = [['deed', 'read'], ...fresh.map((id) => ['message', id])]
      void submit(new URLSearchParams(fields), { method: 'post', action: '/inbox' })
    }
    open()
    document.addEventListener('visibilitychange', open)
    return () => document.removeEventListener('visibilitychange', open)
  }, [key])
  return opened
}

/** Whether nobody has opened it yet; what is held as spam waits for nobody. */
export function isUnread({ readAt, spam }: Pick<Seen, 'readAt' | 'spam'>) {
  return readAt === null && spam === 0
}
