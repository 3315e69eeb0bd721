// The calendar of one member, with events that only members see. No cache may store the feed.
export { loader } from './calendar-feed.ts'
export const handle = { cache: 'none' }
