import { type ReactNode, useEffect } from 'react'
import { useBlocker } from 'react-router'
import { Confirm } from '../ui/dialog.tsx'

type Props = {
  asks: boolean
  sentence: string
  confirm: string
  /** Whether another query still counts as this page. */
  anyQuery?: boolean
  children?: ReactNode
}

/** Unsaved-changes prompt for every kind of navigation. One per page, because the router supports one blocker. */
export function UnsavedChangesPrompt({ asks, anyQuery = false, children, ...said }: Props) {
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
