import { type ReactNode, useEffect, useRef, useState } from 'react'
import { clearLocalFlags, notifyOtherTabs } from './local-flags.ts'

const RETRY_AFTER = 3000

type Props = {
  children: ReactNode
  className?: string | undefined
  /** Signs out on mount, without a click. */
  atOnce?: boolean
}

/** Clears local data, then ends the session. Retries until the server responds. */
export function SignOutButton({ children, className, atOnce = false }: Props) {
  const form = useRef<HTMLFormElement>(null)
  const [leaving, setLeaving] = useState<'no' | 'asking' | 'waiting'>('no')

  useEffect(() => {
    if (atOnce) form.current?.requestSubmit()
  }, [atOnce])

  useEffect(() => {
    if (leaving !== 'waiting') return
    const again = () => setLeaving('asking')
    const timer = setTimeout(again, RETRY_AFTER)
    addEventListener('online', again)
    return () => {
      clearTimeout(timer)
      removeEventListener('online', again)
    }
  }, [leaving])

  useEffect(() => {
    if (leaving !== 'asking') return
    clearLocalFlags()
    fetch('/logout', { method: 'POST', redirect: 'manual' }).then(
      ({ status }) => {
        if (status >= 500) return setLeaving('waiting')
        notifyOtherTabs()
        // A full page load, so that no private data stays in memory.
        location.assign('/home')
      },
      () => setLeaving('waiting'),
    )
  }, [leaving])

  return (
    <form
      ref={form}
      method="post"
      action="/logout"
      onSubmit={(event) => {
        event.preventDefault()
        if (leaving === 'no') setLeaving('asking')
      }}
    >
      <button type="submit" className={className} aria-disabled={leaving !== 'no'}>
        {children}
      </button>
      <span role="status">
        {leaving === 'waiting' && 'サーバーにつながりません。ログアウトをもう一度試しています…'}
      </span>
    </form>
  )
}
