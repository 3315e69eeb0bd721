import { useLoaderData } from 'react-router'
import type { Route } from './+types/calendar-page.ts'

/** Returns the data of the calendar page, for its components. */
export function useCalendarData() {
  return useLoaderData() as Route.ComponentProps['loaderData']
}
