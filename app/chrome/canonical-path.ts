import { redirect } from 'react-router'
import type { Route } from './+types/canonical-path.ts'

const canonicalPaths: Record<string, string> = { '/information': '/infomation', '/businessdays': '/bussinessdays' }

export function loader({ url }: Route.LoaderArgs) {
  throw redirect(`${canonicalPaths[url.pathname]}${url.search}`, 301)
}
