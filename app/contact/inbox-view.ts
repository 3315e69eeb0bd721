/** What the inbox shows of its messages, by its name in the address. */
export const shows = {
  all: 'すべて',
  unread: '未読',
  open: 'まだのもの',
  done: '済み',
  spam: '迷惑メールの可能性',
} as const

/**
 * What somebody looks at in the inbox: which messages, with these words, and which page of them, from 1; where a `message`
 * is named, the page that has it.
 */
export type InboxView = { show: keyof typeof shows; sought: string; page: number; message?: string }

/** The most that can be searched for, in UTF-16 code units. */
export const MOST_SOUGHT = 100

/** The view that an address asks for; what it asks for wrongly, it does not ask for. */
export function inboxViewAt(query: URLSearchParams): InboxView {
  const show = query.get('show') ?? ''
  const words = (name: string) => (query.get(name) ?? '').slice(0, MOST_SOUGHT).toWellFormed().trim()
  return {
    show: Object.hasOwn(shows, show) ? (show as InboxView['show']) : 'all',
    sought: words('q'),
    page: Math.max(1, Math.trunc(Number(query.get('page') ?? 1)) || 1),
    message: words('message'),
  }
}

/** The address of a view, by the number of its page. */
export function inboxAddress({ show, sought, page }: InboxView) {
  const query = new URLSearchParams({
    ...(show !== 'all' && { show }),
    ...(sought && { q: sought }),
    ...(page > 1 && { page: String(page) }),
  })
  return query.size > 0 ? `/inbox?${query}` : '/inbox'
}

/** The address, without its origin, that leads to a message, on whatever page it is by then. */
export function messageAddress(id: string) {
  return `/inbox?${new URLSearchParams({ message: id })}#message-${id}`
}
