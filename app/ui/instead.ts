import type { MouseEvent } from 'react'

/** For a button or a link that goes its own way where there are no scripts: with them this is done instead. */
export function instead(does: () => void) {
  return (click: MouseEvent) => {
    click.preventDefault()
    does()
  }
}
