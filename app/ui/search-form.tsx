import type { ReactNode, RefObject } from 'react'
import { Form } from 'react-router'
import { Button } from './button.tsx'
import styles from './search-form.module.css'

type Props = {
  label: string
  sought: string
  field: RefObject<HTMLInputElement | null>
  /** Maximum length in UTF-16 code units. */
  most: number
  onSubmit: () => void
  children?: ReactNode
}

export function SearchForm({ label, sought, field, most, onSubmit, children }: Props) {
  return (
    <Form className={styles.search} role="search" preventScrollReset onSubmit={onSubmit}>
      <label>
        <span>{label}</span>
        <input type="search" name="q" defaultValue={sought} ref={field} maxLength={most} />
      </label>
      <Button type="submit">探す</Button>
      {children}
    </Form>
  )
}
