import type { ReactNode } from 'react'
import button from './button.module.css'

type Props = {
  children: ReactNode
  /** Whether its answer is awaited. */
  busy: boolean
  /** What it says while the answer is awaited. */
  meanwhile?: string
  name?: string
  value?: string
}

/** The button of a form: while its answer is awaited it says so, and further presses do nothing. */
export function SubmitButton({ children, busy, meanwhile = '投稿中…', name, value }: Props) {
  return (
    <button
      type="submit"
      className={`${button.button} ${button.primary}`}
      name={name}
      value={value}
      aria-disabled={busy}
      onClick={(event) => busy && event.preventDefault()}
    >
      {busy ? meanwhile : children}
    </button>
  )
}
