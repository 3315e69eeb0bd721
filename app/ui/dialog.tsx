import { type ReactNode, useId, useLayoutEffect, useRef } from 'react'
import { Announcements } from './announcements.tsx'
import { Button } from './button.tsx'
import styles from './dialog.module.css'
import { isComposing } from './is-composing.ts'

type DialogProps = {
  title: string
  onClose: () => void
  children: ReactNode
  /** An alert interrupts; without scripts it is not there. */
  alert?: boolean
  /** For a form: it fills a phone's screen. */
  sheet?: boolean
  /** Where `any`, a tap beside it closes it too. */
  closedBy?: 'any' | 'closerequest'
}

/**
 * A modal dialog, open as long as it is rendered: the browser keeps the focus inside and gives it back to what opened it,
 * which is why it is closed before it is taken away. Without scripts it stands in the page.
 */
export function Dialog({ title, onClose, children, alert = false, sheet = false, closedBy }: DialogProps) {
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
        // This Escape gives up what is being composed.
        if (event.key === 'Escape' && isComposing(event.nativeEvent)) event.preventDefault()
      }}
      onCancel={(event) => {
        // A file that was not chosen is cancelled too.
        if (event.target !== event.currentTarget) return
        event.preventDefault()
        if (event.cancelable) onClose()
      }}
      onClose={({ currentTarget: element }) => {
        // Asked once more with nothing else pressed since, the browser closes it itself: it stays until it is taken away.
        if (element.open) return
        element.showModal()
        onClose()
      }}
    >
      {alert ? (
        <p id={id} className={styles.sentence}>
          {title}
        </p>
      ) : (
        <h2 id={id}>{title}</h2>
      )}
      {children}
      <Announcements />
    </dialog>
  )
}

type AlertProps = {
  sentence: string
  onClose: () => void
  /** What it asks for can be gone to from here. */
  children?: ReactNode
}

/** Says one sentence and waits until it was read: a tap beside it closes it too. */
export function Alert({ sentence, onClose, children }: AlertProps) {
  return (
    <Dialog title={sentence} onClose={onClose} alert closedBy="any">
      <div className={styles.actions}>
        <Button primary={!children} onClick={onClose}>
          閉じる
        </Button>
        {children}
      </div>
    </Dialog>
  )
}

type ConfirmProps = {
  sentence: string
  /** What is asked about, under the sentence. */
  children?: ReactNode
  confirm?: string
  onConfirm: () => void
  onCancel: () => void
}

/** Asks before something is done; the way back comes first. */
export function Confirm({ sentence, children, confirm = '削除する', onConfirm, onCancel }: ConfirmProps) {
  return (
    <Dialog title={sentence} onClose={onCancel} alert>
      {children}
      <div className={styles.actions}>
        <Button onClick={onCancel}>やめる</Button>
        <Button primary onClick={onConfirm}>
          {confirm}
        </Button>
      </div>
    </Dialog>
  )
}
