import { isKeyOf } from '../ui/is-key-of.ts'

export const filterLabels = {
  all: 'すべて',
  unread: '未読',
  open: '未対応',
  done: '対応済み',
  spam: '迷惑メールの可能性',
} as const

/** Filter, search words and page number (from 1). If `message` is set, the page with this message is shown. */
export type InboxView = { show: keyof typeof filterLabels; sought: string; page: number; message?: string }

/** Maximum length of the search words in UTF-16 code units. */
export const MAX_SEARCH_LENGTH = 100

/** Parses the query of an inbox URL. Replaces invalid parameters with their defaults. */
export function parseInboxView(query: URLSearchParams): InboxView {
  const show = query.get('show') ?? ''
  const readText = (name: string) => (query.get(name) ?? '').slice(0, MAX_SEARCH_LENGTH).toWellFormed().trim()
  return {
    show: isKeyOf(filterLabels, show) ? show : 'all',
    sought: readText('q'),
    page: Math.max(1, Math.trunc(Number(query.get('page') ?? 1)) || 1),
    message: readText('message'),
  }
}

export function inboxUrl({ show, sought, page }: InboxView) {
  const query = new URLSearchParams({
    ...(show !== 'all' && { show }),
    ...(sought && { q: sought }),
    ...(page > 1 && { page: String(page) }),
  })
  return query.size > 0 ? `/inbox?${query}` : '/inbox'
}

/** Returns a path without origin. The path opens the inbox page that currently contains the message. */
export function messageUrl(id: string) {
  return `/inbox?${new URLSearchParams({ message: id })}#message-${id}`
}
