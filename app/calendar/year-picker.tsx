import { useLayoutEffect, useRef } from 'react'
import { Form, Link } from 'react-router'
import type { Month } from '../dates/month.ts'
import { t } from '../languages/language.ts'
import { Button, LinkButton } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import type { CalendarDialog } from './use-calendar-dialog.ts'
import styles from './year-picker.module.css'

const years = Array.from({ length: 2100 - 1924 + 1 }, (_, index) => 1924 + index)

/** A dialog to choose a year from 1924 to 2100. The URL of the chosen month replaces the current history entry. */
export function YearPicker({ month, dialog }: { month: Month; dialog: CalendarDialog }) {
  const [shownYear, monthNumber] = month.split('-')
  const list = useRef<HTMLUListElement>(null)
  const input = useRef<HTMLInputElement>(null)
  // Before the next paint, so that the first key replaces the year.
  useLayoutEffect(() => {
    const current = list.current?.querySelector('[aria-current]')
    current?.scrollIntoView({ block: 'center' })
    input.current?.focus()
    input.current?.select()
  }, [])
  return (
    <Dialog title={t('年を選ぶ')} onClose={dialog.close}>
      <Form action="/calendar" className={styles.typed} replace preventScrollReset>
        <Field label={t('西暦（1924〜2100年）')} required>
          {(wiring) => (
            <input {...wiring} ref={input} type="number" name="year" min={1924} max={2100} defaultValue={shownYear} />
          )}
        </Field>
        <input type="hidden" name="in" value={monthNumber} />
        <Button type="submit" primary>
          {t('表示する')}
        </Button>
      </Form>
      <ul ref={list} className={styles.years} aria-label={t('年の一覧')}>
        {years.map((year) => (
          <li key={year}>
            <Link
              to={`/calendar?month=${year}-${monthNumber}`}
              replace
              preventScrollReset
              aria-current={String(year) === shownYear ? 'true' : undefined}
            >
              {t('{year}年', { year })}
            </Link>
          </li>
        ))}
      </ul>
      <p className={styles.close}>
        <LinkButton {...dialog.closeLink}>{t('閉じる')}</LinkButton>
      </p>
    </Dialog>
  )
}
