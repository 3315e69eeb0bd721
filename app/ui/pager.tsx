import type { ComponentProps, ReactNode } from 'react'
import type { Link } from 'react-router'
import { LinkButton } from './button.tsx'
import styles from './page.module.css'

type Props = {
  label: string
  /** From 1 to `pages`. */
  page: number
  pages: number
  to: (page: number) => string
  /** What is written on the way to the page before and to the one after. */
  words: readonly [string, string]
  /** Of each link. */
  attributes?: Omit<ComponentProps<typeof Link>, 'to'>
  className?: string | undefined
  /** Between the two; they keep their sides then, where one is missing. */
  children?: ReactNode
}

/** The ways to the pages before and after this one; nothing where there is only one. */
export function Pager({ label, page, pages, to, words, attributes, className = styles.actions, children }: Props) {
  if (pages < 2) return null
  const way = (number: number, rel: 'prev' | 'next', text: string) =>
    number >= 1 && number <= pages ? (
      <LinkButton to={to(number)} rel={rel} {...attributes}>
        {text}
      </LinkButton>
    ) : (
      children && <span />
    )
  return (
    <nav className={className} aria-label={label}>
      {way(page - 1, 'prev', words[0])}
      {children}
      {way(page + 1, 'next', words[1])}
    </nav>
  )
}
