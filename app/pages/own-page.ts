/** A page that the owner has made, as it is known everywhere: `p-` and what comes last in its address. */
export type OwnPageId = `p-${string}`

const NAME = '[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?'
const ID = new RegExp(`^p-${NAME}$`)
const PATH = new RegExp(`^/p/${NAME}$`)

/** Whether a page of one's own may be called this. */
export function isOwnPageId(id: string): id is OwnPageId {
  return ID.test(id)
}

/** The address of a page of one's own. */
export function pathOfOwnPage(id: OwnPageId) {
  return `/p/${id.slice(2)}`
}

/** Whether a page of one's own may be at this address. */
export function isOwnPagePath(path: string) {
  return PATH.test(path)
}
