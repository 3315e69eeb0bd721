import { type ReactNode, useState } from 'react'
import { t } from '../languages/language.ts'
import { Button } from './button.tsx'
import { useBrowserSupport } from './use-browser-support.ts'

/** A button that copies the text, followed by its live region. Not rendered if the browser cannot copy. */
export function CopyButton({ text, children }: { text: string; children: ReactNode }) {
  const canCopy = useBrowserSupport('clipboard')
  const [copiedText, setCopiedText] = useState<string>()
  if (!canCopy) return null
  return (
    <>
      <Button
        onClick={() =>
          void navigator.clipboard.writeText(text).then(
            () => setCopiedText(text),
            () => {},
          )
        }
      >
        {children}
      </Button>
      <span role="status">{copiedText === text && t('コピーしました。')}</span>
    </>
  )
}
