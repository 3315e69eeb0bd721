import type { Kysely } from 'kysely'
import type { Channel } from '../../db/channel.ts'
import type { Tables } from '../../db/tables.ts'
import { onCommit } from '../../db/transaction.ts'
import { countOf } from './change.ts'
import { isTopic, type Topic, topics } from './topics.ts'

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

  function tell(news: News) {
    if ('changed' in news) {
      count += 1
      for (const topic of news.changed) changedAt.set(topic, count)
    }
    for (const hear of [...hearers]) hear(news)
  }
  function tellEveryone(news: News) {
    tell(news)
    channel?.send(JSON.stringify(news))
  }
  const announce = (...changed: Topic[]) => {
    if (changed.length > 0) tellEveryone({ changed })
  }

  const stopHearing = onCommit(db, (noted) => announce(...new Set(noted.filter(isTopic))))
  channel?.listen({ text: (text) => tell(JSON.parse(text)), missed: () => tell({ changed: topics }) })

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
