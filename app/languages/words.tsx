import type { ReactNode } from 'react'
import { isJapanese, japanese, japaneseRuns } from './language.ts'

/**
 * Renders a text of the shop. On a page in another language, marks each run that is still Japanese. A component would not
 * be the only text of its parent, whose updates React then loses on pages that the browser has translated.
 */
export function words(text: string): ReactNode {
  const runs = isJapanese() ? [text] : text.split(japaneseRuns)
  if (runs.length === 1) return text
  return runs.map((run, index) =>
    index % 2 === 1 ? (
      <span key={index} lang={japanese.code}>
        {run}
      </span>
    ) : (
      run
    ),
  )
}
