import { type MouseEvent, useEffect, useRef } from 'react'
import { useLocation } from 'react-router'
import { type Day, type Month, monthOf } from '../dates/month.ts'
import { useWayBack } from '../ui/use-way-back.ts'

export type Opened = ReturnType<typeof useOpened>

/**
 * What lies on the month by its address: an event, or the choice of a year. A link opens it, the Back of a phone or of a
 * browser closes it.
 */
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
    for (const opened of ['event', 'edit', 'pick']) asked.delete(opened)
    if (name) asked.set(name, value)
    // The event may have said of which month it is.
    else if (!asked.has('month') && !asked.has('day') && month !== monthOf(today)) asked.set('month', month)
    return `/calendar${asked.size > 0 ? `?${asked}` : ''}`
  }

  const goBack = useWayBack(addressWith())

  /** Resolves when the month lies open again. */
  function close() {
    if (!isOpen) return Promise.resolve()
    const closed = new Promise<void>((resolve) => waiting.current.push(resolve))
    goBack()
    return closed
  }

  return {
    /** The id of the event that lies there. */
    event,
    /** Whether its form does: for a page without scripts. */
    editing: query.has('edit'),
    picking,
    close,
    /** What a link needs that opens it. */
    linkTo: (name: 'event' | 'pick', value?: string) => ({
      to: addressWith(name, value),
      state: { over: true },
      preventScrollReset: true,
    }),
    /** What a link needs that closes it. */
    closing: {
      to: addressWith(),
      onClick: (click: MouseEvent) => {
        click.preventDefault()
        close()
      },
    },
  }
}
