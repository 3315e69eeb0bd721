import { Link, useRouteLoaderData } from 'react-router'
import type { Visitor } from '../permissions.ts'
import { Notice } from '../ui/notice.tsx'

/** Says to someone who may not save, who may, and to a guest where to sign in. */
export function Refused({ sentence }: { sentence: string }) {
  const root = useRouteLoaderData('root') as { visitor: Visitor } | undefined
  if (root?.visitor) return <Notice>{sentence}</Notice>
  return (
    <Notice>
      {sentence}（<Link to="/login">ログイン</Link>）
    </Notice>
  )
}
