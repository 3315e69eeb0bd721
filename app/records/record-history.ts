import type { Route } from './+types/record-history.ts'
import { readHistory } from './history.server.ts'

export const headers = () => ({ 'cache-control': 'private, no-store' })

export function loader({ context, params: { subject, id }, url }: Route.LoaderArgs) {
  return readHistory(context, { subject, id, url })
}
