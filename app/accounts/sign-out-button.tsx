import { type ReactNode, useEffect, useRef, useState } from 'react'
import { unregisterPush } from '../push/unregister-push.ts'
import { clearLocalFlags, notifyOtherTabs } from './local-flags.ts'

const RETRY_DELAY_MS = 3000

type Props = {
  children: ReactNode
  className?: string | undefined
  submitsOnMount?: boolean
}

/** A button that clears local data and then ends the session. Retries until the server responds. */
export function SignOutButton({ children, className, submitsOnMount = false }: Props) {
  const form = useRef<HTMLFormElement>(null)
  const [signOutState, setSignOutState] = useState<'no' | 'asking' | 'waiting'>('no')

  useEffect(() => {
    if (submitsOnMount) form.current?.requestSubmit()
  }, [submitsOnMount])

  useEffect(() => {
    if (signOutState !== 'waiting') return
    const retry = () => setSignOutState('asking')
    const timer = setTimeout(retry, RETRY_DELAY_MS)
    addEventListener('online', retry)
    return () => {
      clearTimeout(timer)
      removeEventListener('online', retry)
    }
  }, [signOutState])

  useEffect(() => {
    if (signOutState !== 'asking') return
    clearLocalFlags()
    void unregisterPush()
    fetch('/logout', { method: 'POST', redirect: 'manual' }).then(
      ({ status }) => {
        if (status >= 500) return setSignOutState('waiting')
        notifyOtherTabs()
        // Loads the whole page, so that no private data stays in memory.
        location.assign('/home')
      },
      () => setSignOutState('waiting'),
    )
  }, [signOutState])

  return (
    <form
      ref={form}
      method="post"
      action="/logout"
      onSubmit={(event) => {
        event.preventDefault()
        if (signOutState === 'no') setSignOutState('asking')
      }}
    >
      <button type="submit" className={className} aria-disabled={signOutState !== 'no'}>
        {children}
      </button>
      <span role="status">
        {signOutState === 'waiting' && 'サーバーにつながりません。ログアウトをもう一度試しています…'}
      </span>
    </form>
  )
}
