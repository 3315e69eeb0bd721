/** A status region that is always there: what is announced is put into it, and heard. */
export function Announcements() {
  return <div role="status" aria-atomic="false" className="visually-hidden" data-announcements />
}
