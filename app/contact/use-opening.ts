import { useEffect, useEffectEvent, useState } from 'react'
import { useFetcher, useLocation } from 'react-router'
import type { MessageRow } from '../../db/tables.ts'
import { sharedValue } from '../ui/shared-value.ts'
import type { InboxView } from './inbox-view.ts'

type Seen = Pick<MessageRow, 'id' | 'readAt' | 'spam'>

let markedUnread: readonly string[] = []
const shared = sharedValue(markedUnread)

/** Returns the IDs of the messages that the user marked unread. These stay unread until the tab is reloaded. */
export const useMarkedUnread = shared.useValue

export function markUnread(id: string, isUnread: boolean) {
  markedUnread = isUnread ? [...markedUnread, id] : markedUnread.filter((each) => each !== id)
  shared.tell(markedUnread)
}

/**
 * Marks the listed messages read and returns their IDs. Later messages wait for the next navigation or return to the
 * tab. The unread filter marks none, since its messages would leave the list before the user has read them.
 */
export function useOpening(messages: Seen[], show: InboxView['show']) {
  const { submit } = useFetcher()
  const { key } = useLocation()
  const [opened, setOpened] = useState<string[]>([])
  const open = useEffectEvent(() => {
    const ids = messages.filter(isUnread).map(({ id }) => id)
    const fresh = ids.filter((id) => !markedUnread.includes(id))
    if (document.hidden || fresh.length === 0 || show === 'unread') return
    setOpened(fresh)
    const fields = [['deed', 'read'], ...fresh.map((id) => ['message', id])]
    void submit(new URLSearchParams(fields), { method: 'post', action: '/inbox' })
  })
  useEffect(() => {
    open()
    document.addEventListener('visibilitychange', open)
    return () => document.removeEventListener('visibilitychange', open)
  }, [key])
  return opened
}

/** Whether nobody has opened the message. Spam never counts as unread. */
export function isUnread({ readAt, spam }: Pick<Seen, 'readAt' | 'spam'>) {
  return readAt === null && !spam
}
