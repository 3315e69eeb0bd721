import { type ReactNode, useState, useSyncExternalStore } from 'react'
import { Button } from './button.tsx'

/** A button that copies the text, followed by its live region. Not rendered if the browser cannot copy. */
export function CopyButton({ text, children }: { text: string; children: ReactNode }) {
  const canCopy = useSyncExternalStore(subscribeToNothing, () => 'clipboard' in navigator, returnFalse)
  const [copiedText, setCopiedText] = useState<string>()
  if (!canCopy) return null
  return (
    <>
      <Button
        type="button"
        onClick={() =>
          void navigator.clipboard.writeText(text).then(
            () => setCopiedText(text),
            () => {},
          )
        }
      >
        {children}
      </Button>
      <span role="status">{copiedText === text && 'コピーしました。'}</span>
    </>
  )
}

const subscribeToNothing = () => () => {}
const returnFalse = () => false
