import type { Kysely } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Channel } from '../../db/channel.ts'
import type { Tables } from '../../db/tables.ts'
import { onCommit } from '../../db/transaction.ts'
import { parseCursor } from './cursor.ts'
import { isTopic, type Topic, topics } from './topics.ts'

const MAX_MARKS = 4000

/** A live message: changed topics, an account that may have lost a permission, or the process's shutdown. */
export type LiveMessage = { changed: readonly Topic[] } | { account: string } | { closing: true }

export type Live = ReturnType<typeof createLive>

/** Publishes changes in all processes on the database. Topics noted in a transaction are published after its commit. */
export function createLive(db: Kysely<Tables>, channel: Channel) {
  const life = crypto.randomUUID().slice(0, 8)
  let count = 0
  let closing = false
  const changedAt = new Map<Topic, number>()
  const hearers = new Set<(news: LiveMessage) => void>()
  // Marks of published messages, oldest first, because the channel also returns this process's own messages.
  const heard = new LRUCache<string, true>({ max: MAX_MARKS })

  function tell(news: LiveMessage) {
    if ('changed' in news) {
      count += 1
      for (const topic of news.changed) changedAt.set(topic, count)
    }
    for (const hear of [...hearers]) hear(news)
  }
  function tellOnce(mark: string, news: LiveMessage) {
    if (heard.has(mark)) return
    heard.set(mark, true)
    tell(news)
  }
  function tellEveryone(news: LiveMessage) {
    const mark = crypto.randomUUID()
    tellOnce(mark, news)
    channel.send({ mark, text: JSON.stringify(news) })
  }
  const announce = (...changed: Topic[]) => {
    if (changed.length > 0) tellEveryone({ changed })
  }

  const stopHearing = onCommit(db, ({ mark, topics: noted }) => {
    if (noted.length > 0) tellOnce(mark, { changed: noted.filter(isTopic) })
  })
  channel.listen({
    message: ({ mark, ...said }) =>
      tellOnce(mark, 'topics' in said ? { changed: said.topics.filter(isTopic) } : JSON.parse(said.text)),
    missed: () => tell({ changed: topics }),
  })

  return {
    /** Publishes changed topics; call it after the commit. */
    announce,
    /** Ends the streams of an account that lost a permission; call it after the commit. */
    endStreamsOf: (account: string) => tellEveryone({ account }),
    listen(hear: (news: LiveMessage) => void) {
      hearers.add(hear)
      return () => void hearers.delete(hear)
    },
    /** Whether the commit with this mark was published here; false for a mark older than the last `MAX_MARKS`. */
    hasTold: (mark: string) => heard.has(mark),
    /** Returns the ID of the last change. Read it before the data, so that no later change is missed. */
    lastChange: () => `${life}-${count}`,
    /** Returns the topics changed after that change; all topics if its ID is from another process. */
    changedSince(change: string): Topic[] {
      const { life: itsLife, count: before } = parseCursor(change)
      if (itsLife !== life || !(before <= count)) return [...topics]
      return topics.filter((topic) => (changedAt.get(topic) ?? 0) > before)
    },
    isClosing: () => closing,
    async close() {
      closing = true
      stopHearing()
      tell({ closing: true })
      await channel.close()
    },
  }
}
