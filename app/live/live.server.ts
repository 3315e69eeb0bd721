import { LRUCache } from 'lru-cache'
import type { Channel } from '../../db/channel.ts'
import type { Db } from '../../db/tables.ts'
import { onCommit } from '../../db/transaction.ts'
import { parseCursor } from './cursor.ts'
import { isTopic, type Topic, topics } from './topics.ts'

const MAX_MESSAGE_IDS = 4000

export type LiveMessage = { changed: readonly Topic[] } | { account: string } | { closing: true }

export type Live = ReturnType<typeof createLive>

/** Publishes the changed topics after each commit, to all processes that use the database. */
export function createLive(db: Db, channel: Channel) {
  const processId = crypto.randomUUID().slice(0, 8)
  let count = 0
  let closing = false
  const changedAt = new Map<Topic, number>()
  const subscribers = new Set<(message: LiveMessage) => void>()
  // The IDs of published messages, because the channel also delivers this process's own messages.
  const publishedIds = new LRUCache<string, true>({ max: MAX_MESSAGE_IDS })

  function publishLocally(message: LiveMessage) {
    if ('changed' in message) {
      count += 1
      for (const topic of message.changed) changedAt.set(topic, count)
    }
    for (const notify of [...subscribers]) notify(message)
  }
  function publishOnce(id: string, message: LiveMessage) {
    if (publishedIds.has(id)) return
    publishedIds.set(id, true)
    publishLocally(message)
  }
  function publishToAll(message: LiveMessage) {
    const id = crypto.randomUUID()
    publishOnce(id, message)
    channel.send({ mark: id, text: JSON.stringify(message) })
  }
  const publish = (...changed: Topic[]) => {
    if (changed.length > 0) publishToAll({ changed })
  }

  const unsubscribe = onCommit(db, ({ mark: id, topics: changed }) => {
    if (changed.length > 0) publishOnce(id, { changed: changed.filter(isTopic) })
  })
  channel.listen({
    message: ({ mark: id, ...received }) =>
      publishOnce(id, 'topics' in received ? { changed: received.topics.filter(isTopic) } : JSON.parse(received.text)),
    missed: () => publishLocally({ changed: topics }),
  })

  return {
    /** Publishes changed topics. Call this function after the commit. */
    publish,
    /** Ends the streams of an account that has lost a permission. Call this function after the commit. */
    endStreamsOf: (account: string) => publishToAll({ account }),
    subscribe(notify: (message: LiveMessage) => void) {
      subscribers.add(notify)
      return () => void subscribers.delete(notify)
    },
    hasPublished: (id: string) => publishedIds.has(id),
    /** Returns the ID of the last change. Call before you read data, so that no later change is missed. */
    lastChange: () => `${processId}-${count}`,
    changedSince(change: string): Topic[] {
      const { processId: otherProcessId, count: lastCount } = parseCursor(change)
      if (otherProcessId !== processId || !(lastCount <= count)) return [...topics]
      return topics.filter((topic) => (changedAt.get(topic) ?? 0) > lastCount)
    },
    isClosing: () => closing,
    async close() {
      closing = true
      unsubscribe()
      publishLocally({ closing: true })
      await channel.close()
    },
  }
}
