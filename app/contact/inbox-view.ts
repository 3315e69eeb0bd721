export const shows = {
  all: 'すべて',
  unread: '未読',
  open: '未対応',
  done: '対応済み',
  spam: '迷惑メールの可能性',
} as const

/** Filter, search words and page number (from 1) of an inbox view. A `message` selects its own page instead. */
export type InboxView = { show: keyof typeof shows; sought: string; page: number; message?: string }

/** Maximum length of the search words, in UTF-16 code units. */
export const MAX_SOUGHT = 100

/** Parses the query of an inbox URL. Invalid parameters fall back to their defaults. */
export function inboxViewAt(query: URLSearchParams): InboxView {
  const show = query.get('show') ?? ''
  const words = (name: string) => (query.get(name) ?? '').slice(0, MAX_SOUGHT).toWellFormed().trim()
  return {
    show: Object.hasOwn(shows, show) ? (show as InboxView['show']) : 'all',
    sought: words('q'),
    page: Math.max(1, Math.trunc(Number(query.get('page') ?? 1)) || 1),
    message: words('message'),
  }
}

export function inboxAddress({ show, sought, page }: InboxView) {
  const query = new URLSearchParams({
    ...(show !== 'all' && { show }),
    ...(sought && { q: sought }),
    ...(page > 1 && { page: String(page) }),
  })
  return query.size > 0 ? `/inbox?${query}` : '/inbox'
}

/** Returns a path, without origin, that opens a message on its current page of the inbox. */
export function messageAddress(id: string) {
  return `/inbox?${new URLSearchParams({ message: id })}#message-${id}`
}
