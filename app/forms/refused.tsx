import { Link, useRouteLoaderData } from 'react-router'
import type { Visitor } from '../permissions.ts'
import { Notice } from '../ui/notice.tsx'

const SIGN_IN = 'ログインしてください'

/** Says to someone who may not save, who may; to a guest its last words are the way to sign in. */
export function Refused({ sentence }: { sentence: string }) {
  const root = useRouteLoaderData('root') as { visitor: Visitor } | undefined
  if (root?.visitor) return <Notice>{sentence}</Notice>
  return (
    <Notice>
      <span>{sentence.replace(SIGN_IN, '')}</span>
      <Link to="/login">{SIGN_IN}</Link>。
    </Notice>
  )
}
