import { useState } from 'react'
import { useLocation } from 'react-router'

/**
 * What the action answered, for as long as the page is not left: React Router forgets it when the page's data are read
 * again, and a notice or what was typed must not go because somebody else changed something.
 */
export function useAnswer<Answer>(actionData: Answer | undefined): Answer | undefined {
  const { key } = useLocation()
  const [kept, keep] = useState({ key, answer: actionData })
  if (actionData !== undefined && (kept.answer !== actionData || kept.key !== key)) keep({ key, answer: actionData })
  return actionData ?? (kept.key === key ? kept.answer : undefined)
}
