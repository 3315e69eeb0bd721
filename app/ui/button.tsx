import type { ComponentProps } from 'react'
import { Link } from 'react-router'
import styles from './button.module.css'

type Look = { primary?: boolean }

const lookOf = (primary: boolean) => (primary ? `${styles.button} ${styles.primary}` : styles.button)

export function Button({ primary = false, type = 'button', ...attributes }: ComponentProps<'button'> & Look) {
  return <button type={type} className={lookOf(primary)} {...attributes} />
}

export function LinkButton({ primary = false, ...attributes }: ComponentProps<typeof Link> & Look) {
  return <Link className={lookOf(primary)} {...attributes} />
}
