import { useEffect, useRef, useState } from 'react'
import type { SignInError } from './sign-in-errors.ts'

const CHANNEL = 'google-sign-in'
const POLL_INTERVAL_MS = 300
// A finished popup posts its result just before it closes, so the result may arrive after the close.
const RESULT_TIMEOUT_MS = 1000

type GoogleSignIn = { state: 'none' | 'open' | 'arrived' } | { state: 'failed'; problem: SignInError }

export function notifyOpener(problem: SignInError | null) {
  const channel = new BroadcastChannel(CHANNEL)
  channel.postMessage({ problem })
  channel.close()
}

/** Signs in at Google in a popup, or in the whole page if the browser blocks the popup. */
export function useGoogleWindow() {
  const [signIn, setSignIn] = useState<GoogleSignIn>({ state: 'none' })
  const popup = useRef<Window>(null)

  useEffect(() => {
    const channel = new BroadcastChannel(CHANNEL)
    channel.onmessage = ({ data: { problem } }: MessageEvent<{ problem: SignInError | null }>) => {
      // Ignores a result if this tab has opened no popup.
      if (!popup.current) return
      popup.current = null
      if (problem) return setSignIn({ state: 'failed', problem })
      setSignIn({ state: 'arrived' })
      continueToWelcome()
    }
    return () => channel.close()
  }, [])

  useEffect(() => {
    if (signIn.state !== 'open') return
    let closedAt = 0
    const poll = setInterval(() => {
      if (!popup.current?.closed) return
      closedAt ||= Date.now()
      if (Date.now() - closedAt >= RESULT_TIMEOUT_MS) setSignIn({ state: 'failed', problem: 'closed' })
    }, POLL_INTERVAL_MS)
    return () => clearInterval(poll)
  }, [signIn.state])

  const startSignIn = () => {
    if (!navigator.onLine) return setSignIn({ state: 'failed', problem: 'network' })
    popup.current = open('/login/google?window=popup', CHANNEL, 'popup,width=500,height=680')
    if (!popup.current) return location.assign('/login/google')
    popup.current.focus()
    setSignIn({ state: 'open' })
  }

  return { signIn, startSignIn }
}

/** Loads the whole page, so that everything renders for the signed-in visitor. */
export function continueToWelcome() {
  location.assign('/login/welcome')
}
