import { type MouseEvent, useEffect, useRef } from 'react'
import { useLocation } from 'react-router'
import { type Day, type Month, monthOf } from '../dates/month.ts'
import { useReturnLink } from '../ui/use-return-link.ts'

export type Opened = ReturnType<typeof useOpened>

/** Stores the open dialog of the calendar in the URL, so that a link opens and the Back button closes the dialog. */
export function useOpened({ month, today }: { month: Month; today: Day }) {
  const { search } = useLocation()
  const query = new URLSearchParams(search)
  const event = query.get('event')
  const picking = query.has('pick')
  const isOpen = event !== null || picking

  const waiting = useRef<(() => void)[]>([])
  useEffect(() => {
    if (isOpen) return
    for (const resolve of waiting.current.splice(0)) resolve()
  }, [isOpen])

  const addressWith = (name?: 'event' | 'pick', value = '') => {
    const asked = new URLSearchParams(search)
    for (const opened of ['event', 'pick']) asked.delete(opened)
    if (name) asked.set(name, value)
    // Without the event, the URL would no longer determine the month.
    else if (!asked.has('month') && !asked.has('day') && month !== monthOf(today)) asked.set('month', month)
    return `/calendar${asked.size > 0 ? `?${asked}` : ''}`
  }

  const goBack = useReturnLink(addressWith())

  /** Closes the dialog; resolves when the URL no longer contains the dialog. */
  function close() {
    if (!isOpen) return Promise.resolve()
    const closed = new Promise<void>((resolve) => waiting.current.push(resolve))
    goBack()
    return closed
  }

  return {
    /** The ID of the event in the dialog. */
    event,
    picking,
    close,
    linkTo: (name: 'event' | 'pick', value?: string) => ({
      to: addressWith(name, value),
      state: { over: true },
      preventScrollReset: true,
    }),
    closing: {
      to: addressWith(),
      onClick: (click: MouseEvent) => {
        click.preventDefault()
        close()
      },
    },
  }
}
