import type { Day } from './month.ts'

/** An event as a page shows it. */
export type ShownEvent = {
  id: string
  version: number
  day: Day
  title: string
  content: string
  startTime: string | null
  endTime: string | null
  attendance: boolean
  capacity: number | null
  deadline: Day | null
  updatedAt: string
}

/** 9:00〜11:30, 18:00〜翌1:00, 9:00から; empty for the whole day. */
export function eventTimeInWords({ startTime, endTime }: Pick<ShownEvent, 'startTime' | 'endTime'>) {
  if (!startTime) return ''
  if (!endTime) return `${short(startTime)}から`
  return `${short(startTime)}〜${endTime <= startTime ? '翌' : ''}${short(endTime)}`
}

function short(time: string) {
  return time.replace(/^0/, '')
}
