import { Link } from 'react-router'
import { Notice } from '../ui/notice.tsx'

/** Says to someone who may not save, who may, and where to sign in. */
export function Refused({ sentence }: { sentence: string }) {
  return (
    <Notice>
      {sentence}（<Link to="/login">会員ログイン</Link>）
    </Notice>
  )
}
