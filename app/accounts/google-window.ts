import { useEffect, useRef, useState } from 'react'
import type { SignInError } from './sign-in-errors.ts'

const CHANNEL = 'google-sign-in'
const LOOKS_EVERY = 300
// A finished popup posts its result just before it closes, so the result may arrive after the close.
const TOLD_BY = 1000

export type GoogleSignIn = { state: 'none' | 'open' | 'arrived' } | { state: 'failed'; problem: SignInError }

export function tellOpener(problem: SignInError | null) {
  const channel = new BroadcastChannel(CHANNEL)
  channel.postMessage({ problem })
  channel.close()
}

/** Signs in at Google in a popup, or in the whole page if the browser blocks the popup. */
export function useGoogleWindow() {
  const [signIn, setSignIn] = useState<GoogleSignIn>({ state: 'none' })
  const opened = useRef<Window>(null)

  useEffect(() => {
    const channel = new BroadcastChannel(CHANNEL)
    channel.onmessage = ({ data: { problem } }: MessageEvent<{ problem: SignInError | null }>) => {
      // Ignore the popup of another tab.
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

// A full page load renders everything for the signed-in visitor.
function goOn() {
  location.assign('/login/welcome')
}
