import type { ReactNode } from 'react'
import { Button } from './button.tsx'

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
    <Button
      type="submit"
      primary
      name={name}
      value={value}
      aria-disabled={busy}
      onClick={(event) => busy && event.preventDefault()}
    >
      {busy ? meanwhile : children}
    </Button>
  )
}
