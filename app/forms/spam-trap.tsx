import { useState } from 'react'
import { t } from '../languages/language.ts'
import styles from './spam-trap.module.css'

const MIN_FILL_MS = 3000

export const spamTrapFields = ['homepage', 'shownAt']

/** Whether a bot filled in the invisible field, or submitted the form faster than a person can. */
export function looksLikeSpam(form: FormData, now: number) {
  const shownAt = Number(form.get('shownAt') || Number.NaN)
  return form.get('homepage') !== '' || !(now - shownAt >= MIN_FILL_MS)
}

/** Renders the fields that `looksLikeSpam` checks. The times of page and draft are in milliseconds since 1970. */
export function SpamTrap({ shownAt, restoredAt }: { shownAt: number; restoredAt: number | undefined }) {
  // A revalidation has a later time, but the visitor has begun before.
  const [firstShownAt] = useState(shownAt)
  return (
    <>
      <div className={styles.trap} aria-hidden="true">
        <label>
          {t('この欄には何も書かないでください')}
          <input name="homepage" tabIndex={-1} autoComplete="off" />
        </label>
      </div>
      {/* If the form contains a restored draft, the visitor began the message before this page was rendered. */}
      <input type="hidden" name="shownAt" value={Math.min(firstShownAt, restoredAt ?? firstShownAt)} />
    </>
  )
}
