/** The live region of `announce`. Always rendered, because screen readers only announce changes of a live region. */
export function Announcements() {
  return <div role="status" aria-atomic="false" className="visually-hidden" data-announcements />
}
