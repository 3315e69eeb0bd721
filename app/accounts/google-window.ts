import { useEffect, useRef, useState } from 'react'
import type { SignInProblem } from './sign-in-problems.ts'

const CHANNEL = 'google-sign-in'
const LOOKS_EVERY = 300
// A window that has done its work tells so just before it closes.
const TOLD_BY = 1000

/** How far the sign-in at Google is; a problem where it ended badly. */
export type GoogleSignIn = { state: 'none' | 'open' | 'arrived' } | { state: 'failed'; problem: SignInProblem }

/** Tells the page that opened this window how signing in went. */
export function tellOpener(problem: SignInProblem | null) {
  const channel = new BroadcastChannel(CHANNEL)
  channel.postMessage({ problem })
  channel.close()
}

/** Signing in at Google in a window of its own; in the whole page where the browser blocks that window. */
export function useGoogleWindow() {
  const [signIn, setSignIn] = useState<GoogleSignIn>({ state: 'none' })
  const opened = useRef<Window>(null)

  useEffect(() => {
    const channel = new BroadcastChannel(CHANNEL)
    channel.onmessage = ({ data: { problem } }: MessageEvent<{ problem: SignInProblem | null }>) => {
      // Another tab's window is that tab's.
      if (!opened.current) return
      opened.current = null
      if (problem) return setSignIn({ state: 'failed', problem })
      setSignIn({ state: 'arrived' })
      goOn()
    }
    return () => channel.close()
  }, [])

  useEffect(() => {
    if (signIn.state !== 'open') return
    let closedSince = 0
    const look = setInterval(() => {
      if (!opened.current?.closed) return
      closedSince ||= Date.now()
      if (Date.now() - closedSince >= TOLD_BY) setSignIn({ state: 'failed', problem: 'closed' })
    }, LOOKS_EVERY)
    return () => clearInterval(look)
  }, [signIn.state])

  const begin = () => {
    if (!navigator.onLine) return setSignIn({ state: 'failed', problem: 'network' })
    opened.current = open('/login/google?window=popup', CHANNEL, 'popup,width=500,height=680')
    if (!opened.current) return location.assign('/login/google')
    opened.current.focus()
    setSignIn({ state: 'open' })
  }

  return { signIn, begin, goOn }
}

// A whole new page: everything on it is then shown to the one who has signed in.
function goOn() {
  location.assign('/login/welcome')
}
