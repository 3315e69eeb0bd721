import { type ReactNode, useEffect } from 'react'
import { useBlocker } from 'react-router'
import { Confirm } from '../ui/dialog.tsx'

type Props = {
  /** Whether something was typed that is not saved. */
  asks: boolean
  sentence: string
  confirm: string
  /** Whether another query is this page all the same. */
  anyQuery?: boolean
  /** What is said under the sentence. */
  children?: ReactNode
}

/** Asks before the page is left, whatever way is taken; one a page, as the router knows one. */
export function LeavingQuestion({ asks, anyQuery = false, children, ...said }: Props) {
  const leaving = useBlocker(
    ({ currentLocation: here, nextLocation: there }) =>
      asks && (here.pathname !== there.pathname || (!anyQuery && here.search !== there.search)),
  )
  useEffect(() => {
    if (!asks) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [asks])
  if (leaving.state !== 'blocked') return null
  return (
    <Confirm {...said} onConfirm={leaving.proceed} onCancel={leaving.reset}>
      {children}
    </Confirm>
  )
}
