import type { ReactNode } from 'react'
import { Button } from './button.tsx'

type Props = {
  children: ReactNode
  busy: boolean
  meanwhile?: string
  name?: string
  value?: string
}

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
