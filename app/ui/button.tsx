import type { ComponentProps } from 'react'
import { Link } from 'react-router'
import styles from './button.module.css'

type Appearance = { primary?: boolean }

const classNameOf = (primary: boolean) => (primary ? `${styles.button} ${styles.primary}` : styles.button)

export function Button({ primary = false, type = 'button', ...attributes }: ComponentProps<'button'> & Appearance) {
  return <button type={type} className={classNameOf(primary)} {...attributes} />
}

/** A link to a dialog with its own URL over this page. */
export function DialogLink(props: ComponentProps<typeof Link> & Appearance) {
  return <LinkButton state={{ over: true }} preventScrollReset {...props} />
}

export function LinkButton({ primary = false, ...attributes }: ComponentProps<typeof Link> & Appearance) {
  return <Link className={classNameOf(primary)} {...attributes} />
}
