import { type Day, dayInWords, dayWithYearInWords } from './month.ts'

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

type Told = Pick<ShownEvent, 'day' | 'title' | 'content' | 'startTime' | 'endTime' | 'capacity' | 'deadline'> & {
  attendance: boolean | number
}

/** An event as the history tells it, by what each part is called. */
export function eventInWords(event: Told) {
  const { title, day, content, attendance, capacity, deadline } = event
  return {
    タイトル: title,
    日にち: dayWithYearInWords(day),
    時刻: eventTimeInWords(event) || '終日',
    内容: content,
    出欠: attendance ? 'とる' : 'とらない',
    定員: capacity ? `${capacity}名` : '',
    締切: deadline ? dayInWords(deadline) : '',
  }
}
