import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { createRoutesStub } from 'react-router'
import { describe, expect, test } from 'vitest'
import { addDays } from '../dates/month.ts'
import { type DayState, dayState, eachRow } from '../hours/business-day.ts'
import styles from './open-now.module.css'
import { OpenNow } from './open-now.tsx'

const schedule = eachRow(() => ({ open: true, slots: [{ start: '11:00', end: '14:00' }, null] }))
const days: DayState[] = [0, 1, 2].map((count) =>
  dayState(addDays('2026-11-19', count), { schedule, specialDay: () => null, holiday: () => null }),
)
const renderCard = (time: string, knownDays = days) => {
  const card = createElement(OpenNow, { days: knownDays, asOf: Date.parse(`2026-11-20T${time}+09:00`) })
  return renderToStaticMarkup(createElement(createRoutesStub([{ path: '/', Component: () => card }])))
}
const isHighlighted = (html: string) => (/class="([^"]*)"/.exec(html)?.[1] ?? '').split(' ').includes(styles.open ?? '')

describe('OpenNow', () => {
  test('highlights the card only while the shop is open', () => {
    expect(styles.open).toBeTruthy()
    const cards = ['10:59:59', '11:00:00', '13:30:00', '14:00:00'].map((time) => renderCard(time))
    expect(cards.map(isHighlighted)).toEqual([false, true, true, false])
    for (const [index, text] of ['本日11:00より', 'ただいま営業', 'まもなく閉店', '終了しました'].entries())
      expect(cards[index]).toContain(text)
  })

  test('renders nothing when the hours are unknown', () => {
    expect(renderCard('12:00:00', [])).toBe('')
  })
})
