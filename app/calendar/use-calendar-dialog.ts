import { type MouseEvent, useEffect, useRef } from 'react'
import { useLocation } from 'react-router'
import { type Day, type Month, monthOf } from '../dates/month.ts'
import { useReturnLink } from '../ui/use-return-link.ts'

export type CalendarDialog = ReturnType<typeof useCalendarDialog>

/**
 * Stores the open dialog of the calendar in the URL, so that a link can open and the Back button can close the dialog.
 */
export function useCalendarDialog({ month, today }: { month: Month; today: Day }) {
  const { search } = useLocation()
  const query = new URLSearchParams(search)
  const eventId = query.get('event')
  const isPickingYear = query.has('pick')
  const isOpen = eventId !== null || isPickingYear

  const closeCallbacks = useRef<(() => void)[]>([])
  useEffect(() => {
    if (isOpen) return
    for (const resolve of closeCallbacks.current.splice(0)) resolve()
  }, [isOpen])

  const urlWith = (name?: 'event' | 'pick', value = '') => {
    const changedQuery = new URLSearchParams(search)
    for (const parameter of ['event', 'pick']) changedQuery.delete(parameter)
    if (name) changedQuery.set(name, value)
    // If the URL no longer names the event, the URL must name the month instead.
    else if (!changedQuery.has('month') && !changedQuery.has('day') && month !== monthOf(today))
      changedQuery.set('month', month)
    return `/calendar${changedQuery.size > 0 ? `?${changedQuery}` : ''}`
  }

  const goBack = useReturnLink(urlWith())

  /** Closes the dialog. The promise resolves when the URL no longer contains the dialog. */
  function close() {
    if (!isOpen) return Promise.resolve()
    const closed = new Promise<void>((resolve) => closeCallbacks.current.push(resolve))
    goBack()
    return closed
  }

  return {
    eventId,
    isPickingYear,
    close,
    linkTo: (name: 'event' | 'pick', value?: string) => ({
      to: urlWith(name, value),
      state: { over: true },
      preventScrollReset: true,
    }),
    closeLink: {
      to: urlWith(),
      onClick: (click: MouseEvent) => {
        click.preventDefault()
        close()
      },
    },
  }
}
