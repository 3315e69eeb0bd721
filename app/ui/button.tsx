import type { ComponentProps, MouseEvent } from 'react'
import { Link } from 'react-router'
import styles from './button.module.css'

type Look = { primary?: boolean }

const lookOf = (primary: boolean) => (primary ? `${styles.button} ${styles.primary}` : styles.button)

/** Does something in the page; what sends a form says so by its type. */
export function Button({ primary = false, type = 'button', ...attributes }: ComponentProps<'button'> & Look) {
  return <button type={type} className={lookOf(primary)} {...attributes} />
}

/** A way to another page that looks like a button. */
export function LinkButton({ primary = false, ...attributes }: ComponentProps<typeof Link> & Look) {
  return <Link className={lookOf(primary)} {...attributes} />
}

/** For a button or a link that goes its own way where there are no scripts: with them this is done instead. */
export function instead(does: () => void) {
  return (click: MouseEvent) => {
    click.preventDefault()
    does()
  }
}
