import { type ReactNode, useEffect } from 'react'
import { useBlocker } from 'react-router'
import { Confirm } from '../ui/dialog.tsx'

type Props = {
  asks: boolean
  sentence: string
  confirm: string
  /** Whether the prompt is skipped when a navigation changes only the query of the URL. */
  anyQuery?: boolean
  children?: ReactNode
}

/** Asks before a navigation with unsaved changes. A page has one prompt, because the router supports one blocker. */
export function UnsavedChangesPrompt({ asks, anyQuery = false, children, ...dialogProps }: Props) {
  const blocker = useBlocker(
    ({ currentLocation: current, nextLocation: next }) =>
      asks && (current.pathname !== next.pathname || (!anyQuery && current.search !== next.search)),
  )
  useEffect(() => {
    if (!asks) return
    const preventUnload = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', preventUnload)
    return () => removeEventListener('beforeunload', preventUnload)
  }, [asks])
  if (blocker.state !== 'blocked') return null
  return (
    <Confirm {...dialogProps} onConfirm={blocker.proceed} onCancel={blocker.reset}>
      {children}
    </Confirm>
  )
}
