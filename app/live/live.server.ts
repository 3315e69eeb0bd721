import type { Kysely } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Channel } from '../../db/channel.ts'
import type { Tables } from '../../db/tables.ts'
import { onCommit } from '../../db/transaction.ts'
import { parseCursor } from './cursor.ts'
import { isTopic, type Topic, topics } from './topics.ts'

const MAX_MARKS = 4000

/** Message to the streams: changed topics, an account that may have lost a permission, or the shutdown of the process. */
export type LiveMessage = { changed: readonly Topic[] } | { account: string } | { closing: true }

export type Live = ReturnType<typeof createLive>

/** Creates the publisher of changes, which reaches all processes on the database. Publishes topics after each commit. */
export function createLive(db: Kysely<Tables>, channel: Channel) {
  const life = crypto.randomUUID().slice(0, 8)
  let count = 0
  let closing = false
  const changedAt = new Map<Topic, number>()
  const hearers = new Set<(news: LiveMessage) => void>()
  // IDs of published messages, because the channel also delivers this process's own messages.
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
    /** Whether this process has published the commit with this ID. Only the last `MAX_MARKS` IDs are stored. */
    hasTold: (mark: string) => heard.has(mark),
    /** Returns the ID of the last change. Call this before reading data, so that no later change is missed. */
    lastChange: () => `${life}-${count}`,
    /** Returns the topics that changed after a change; all topics if the change ID is from another process. */
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
