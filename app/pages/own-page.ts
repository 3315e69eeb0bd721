/** ID of a page that an administrator has created: `p-` and the last segment of the path. */
export type OwnPageId = `p-${string}`

const NAME = '[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?'
const ID = new RegExp(`^p-${NAME}$`)
const PATH = new RegExp(`^/p/${NAME}$`)

export function isOwnPageId(id: string): id is OwnPageId {
  return ID.test(id)
}

export function pathOfOwnPage(id: OwnPageId) {
  return `/p/${id.slice(2)}`
}

export function isOwnPagePath(path: string) {
  return PATH.test(path)
}
