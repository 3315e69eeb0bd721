import { X } from 'lucide'
import { type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import { t } from '../languages/language.ts'
import { words } from '../languages/words.tsx'
import { Announcements } from './announcements.tsx'
import { Button } from './button.tsx'
import styles from './dialog.module.css'
import { Icon } from './icon.tsx'
import { isComposing } from './is-composing.ts'

type DialogProps = {
  title: string
  onClose: () => void
  children: ReactNode
  alert?: boolean
  /** Whether the dialog fills a phone and has a close button. */
  sheet?: boolean
  closedBy?: 'any' | 'closerequest'
}

/**
 * A modal dialog that is open while rendered. Without JavaScript, the dialog is part of the page. Closing the dialog
 * before unmounting restores the focus.
 */
export function Dialog({ title, onClose, children, alert, sheet, closedBy }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useLayoutEffect(() => {
    const element = dialog.current
    element?.close()
    element?.showModal()
    return () => element?.close()
  }, [])
  return (
    <dialog
      ref={dialog}
      open={!alert}
      closedby={closedBy}
      className={sheet ? `${styles.dialog} ${styles.sheet}` : styles.dialog}
      role={alert ? 'alertdialog' : undefined}
      aria-labelledby={id}
      onKeyDown={(event) => {
        // During an IME composition, Escape only cancels the composition.
        if (event.key === 'Escape' && isComposing(event.nativeEvent)) event.preventDefault()
      }}
      onCancel={(event) => {
        // A cancelled file picker fires a bubbling `cancel` event.
        if (event.target !== event.currentTarget) return
        event.preventDefault()
        if (event.cancelable) onClose()
      }}
      onClose={({ currentTarget: element }) => {
        // A second close request without user activation would close the dialog, but only unmounting may close the
        // dialog.
        if (element.open) return
        element.showModal()
        onClose()
      }}
    >
      {alert ? (
        <p id={id} className={styles.sentence}>
          {words(title)}
        </p>
      ) : (
        <h2 id={id}>{words(title)}</h2>
      )}
      {sheet && (
        <button type="button" className={styles.close} onClick={onClose}>
          <Icon of={X} size={24} label="閉じる" />
        </button>
      )}
      {children}
      <Announcements />
    </dialog>
  )
}

type AlertProps = {
  sentence: string
  onClose: () => void
  children?: ReactNode
}

export function Alert({ sentence, onClose, children }: AlertProps) {
  return (
    <Dialog title={sentence} onClose={onClose} alert closedBy="any">
      <div className={styles.actions}>
        <Button primary={!children} onClick={onClose}>
          {t('閉じる')}
        </Button>
        {children}
      </div>
    </Dialog>
  )
}

type ConfirmProps = {
  sentence: string
  children?: ReactNode
  confirm?: string
  /** A button for another answer. */
  other?: ReactNode
  onConfirm: () => void
  onCancel: () => void
}

/** A confirm dialog. The cancel button comes first, so that the button has the initial focus. */
export function Confirm({ sentence, children, confirm = '削除する', other, onConfirm, onCancel }: ConfirmProps) {
  return (
    <Dialog title={sentence} onClose={onCancel} alert>
      {children}
      <div className={styles.actions}>
        <Button onClick={onCancel}>{t('やめる')}</Button>
        {other}
        <Button primary onClick={onConfirm}>
          {confirm}
        </Button>
      </div>
    </Dialog>
  )
}
