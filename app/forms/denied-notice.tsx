import { Link, useRouteLoaderData } from 'react-router'
import type { Visitor } from '../permissions.ts'
import { Notice } from '../ui/notice.tsx'

const SIGN_IN = 'ログインしてください'

export function DeniedNotice({ sentence }: { sentence: string }) {
  const root = useRouteLoaderData('root') as { visitor: Visitor } | undefined
  if (root?.visitor) return <Notice>{sentence}</Notice>
  return (
    <Notice>
      <span>{sentence.replace(SIGN_IN, '')}</span>
      <Link to="/login">{SIGN_IN}</Link>。
    </Notice>
  )
}
