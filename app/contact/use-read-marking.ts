import { useEffect, useEffectEvent, useState } from 'react'
import { useFetcher, useLocation } from 'react-router'
import type { MessageRow } from '../../db/tables.ts'
import { sharedValue } from '../ui/shared-value.ts'
import type { InboxView } from './inbox-view.ts'

type MessageState = Pick<MessageRow, 'id' | 'readAt' | 'spam'>

let markedUnread: readonly string[] = []
const sharedIds = sharedValue(markedUnread)

/** Returns the IDs of the messages that the user has marked unread, until the tab is reloaded. */
export const useMarkedUnread = sharedIds.useValue

export function markUnread(id: string, isUnread: boolean) {
  markedUnread = isUnread ? [...markedUnread, id] : markedUnread.filter((markedId) => markedId !== id)
  sharedIds.tell(markedUnread)
}

/**
 * Marks the listed messages read and returns their IDs. Messages that arrive later are marked at the next navigation or
 * return to the tab. Under the unread filter, marks no messages, because they would leave the list before the user has
 * read them.
 */
export function useReadMarking(messages: MessageState[], show: InboxView['show']) {
  const { submit } = useFetcher()
  const { key } = useLocation()
  const [readIds, setReadIds] = useState<string[]>([])
  const markListedRead = useEffectEvent(() => {
    const ids = messages.filter(isUnread).map(({ id }) => id)
    const unreadIds = ids.filter((id) => !markedUnread.includes(id))
    if (document.hidden || unreadIds.length === 0 || show === 'unread') return
    setReadIds(unreadIds)
    const fields = [['deed', 'read'], ...unreadIds.map((id) => ['message', id])]
    void submit(new URLSearchParams(fields), { method: 'post', action: '/inbox' })
  })
  useEffect(() => {
    markListedRead()
    document.addEventListener('visibilitychange', markListedRead)
    return () => document.removeEventListener('visibilitychange', markListedRead)
  }, [key])
  return readIds
}

/** Whether nobody has opened the message. Spam never counts as unread. */
export function isUnread({ readAt, spam }: Pick<MessageState, 'readAt' | 'spam'>) {
  return readAt === null && !spam
}
