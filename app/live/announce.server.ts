import type { Kysely } from 'kysely'
import type { Channel } from '../../db/channel.ts'
import type { Tables } from '../../db/tables.ts'
import { onCommit } from '../../db/transaction.ts'
import { countOf } from './change.ts'
import { isTopic, type Topic, topics } from './topics.ts'

const MOST_MARKS = 4000

/** What is told: topics that changed, an account that may have lost a right, or that the process is about to end. */
export type News = { changed: readonly Topic[] } | { account: string } | { closing: true }

export type Live = ReturnType<typeof createLive>

/**
 * Tells who listens what has changed, in this process and, by the channel, in the others on the same database. What a
 * verb keeps in the history is announced by itself after its commit.
 */
export function createLive(db: Kysely<Tables>, channel?: Channel) {
  const life = crypto.randomUUID().slice(0, 8)
  let count = 0
  let closing = false
  const changedAt = new Map<Topic, number>()
  const hearers = new Set<(news: News) => void>()
  // What was told here, in its order: of what it has done itself, a process hears by the channel as well.
  const heard = new Set<string>()

  function tell(news: News) {
    if ('changed' in news) {
      count += 1
      for (const topic of news.changed) changedAt.set(topic, count)
    }
    for (const hear of [...hearers]) hear(news)
  }
  function tellOnce(mark: string, news: News) {
    if (heard.has(mark)) return
    heard.add(mark)
    const [oldest = ''] = heard
    if (heard.size > MOST_MARKS) heard.delete(oldest)
    tell(news)
  }
  function tellEveryone(news: News) {
    const mark = crypto.randomUUID()
    tellOnce(mark, news)
    channel?.send({ mark, text: JSON.stringify(news) })
  }
  const announce = (...changed: Topic[]) => {
    if (changed.length > 0) tellEveryone({ changed })
  }

  const stopHearing = onCommit(db, ({ mark, topics: noted }) => {
    if (noted.length > 0) tellOnce(mark, { changed: noted.filter(isTopic) })
  })
  channel?.listen({
    message: ({ mark, ...said }) =>
      tellOnce(mark, 'topics' in said ? { changed: said.topics.filter(isTopic) } : JSON.parse(said.text)),
    missed: () => tell({ changed: topics }),
  })

  return {
    /** Says that something under these topics is different now; after the commit. */
    announce,
    /** Ends the streams of an account that has lost a right: signed out, withdrawn, deleted; after the commit. */
    endStreamsOf: (account: string) => tellEveryone({ account }),
    /** Hears everything that is told from now on. Returns how to stop. */
    listen(hear: (news: News) => void) {
      hearers.add(hear)
      return () => void hearers.delete(hear)
    },
    /** Whether what was committed under this mark has been told here; one that was told long ago counts as one that was not. */
    hasTold: (mark: string) => heard.has(mark),
    /** The last change: one read before the data says how old they may be. */
    lastChange: () => `${life}-${count}`,
    /** The topics that changed after that change; all of them where it is not one of ours. */
    changedSince(change: string): Topic[] {
      const { life: itsLife, count: before } = countOf(change)
      if (itsLife !== life || !(before <= count)) return [...topics]
      return topics.filter((topic) => (changedAt.get(topic) ?? 0) > before)
    },
    isClosing: () => closing,
    async close() {
      closing = true
      stopHearing()
      tell({ closing: true })
      await channel?.close()
    },
  }
}
