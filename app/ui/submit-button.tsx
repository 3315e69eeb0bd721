import type { ComponentProps } from 'react'
import { t } from '../languages/language.ts'
import { Button } from './button.tsx'

type Props = ComponentProps<'button'> & { busy: boolean; meanwhile?: string }

export function SubmitButton({ children, busy, meanwhile = '投稿中…', ...attributes }: Props) {
  return (
    <Button
      type="submit"
      primary
      {...attributes}
      aria-disabled={busy}
      onClick={(event) => busy && event.preventDefault()}
    >
      {busy ? t(meanwhile) : children}
    </Button>
  )
}
