import type { ComponentProps, ReactNode } from 'react'
import type { Link } from 'react-router'
import { LinkButton } from './button.tsx'
import styles from './page.module.css'

type Props = {
  label: string
  page: number
  pages: number
  to: (page: number) => string
  words?: readonly [string, string]
  attributes?: Omit<ComponentProps<typeof Link>, 'to'>
  className?: string | undefined
  /** Content between the links. If a link is missing, a placeholder holds the other link on its side. */
  children?: ReactNode
}

const byAge = ['新しいもの', '古いもの'] as const

export function Pager({ label, page, pages, to, words = byAge, children, ...appearance }: Props) {
  const { attributes, className = styles.actions } = appearance
  if (pages < 2) return null
  const link = (number: number, rel: 'prev' | 'next', text: string) =>
    number >= 1 && number <= pages ? (
      <LinkButton to={to(number)} rel={rel} {...attributes}>
        {text}
      </LinkButton>
    ) : (
      children && <span />
    )
  return (
    <nav className={className} aria-label={label}>
      {link(page - 1, 'prev', words[0])}
      {children}
      {link(page + 1, 'next', words[1])}
    </nav>
  )
}
