import { ChevronLeft, ChevronRight, ChevronsLeft, ChevronsRight, type IconNode } from 'lucide'
import { type ReactNode, useEffect } from 'react'
import { Link } from 'react-router'
import { addMonths, firstMonth, formatMonth, lastMonth, type Month } from '../dates/month.ts'
import { isJapanese, languageCode, pathIn, t } from '../languages/language.ts'
import { preloadPage } from '../platform/router-workarounds.ts'
import { Icon } from '../ui/icon.tsx'
import styles from './calendar-head.module.css'
import type { CalendarDialog } from './use-calendar-dialog.ts'

type HeadProps = { month: Month; dialog: CalendarDialog; children: ReactNode }

export function CalendarHead({ month, dialog, children }: HeadProps) {
  return (
    <div className={styles.head}>
      <Step to={addMonths(month, -12)} label="前の年" icon={ChevronsLeft} />
      <Step to={addMonths(month, -1)} label="前の月" icon={ChevronLeft} isNext />
      <div className={styles.name}>
        <h1 id="month">{formatMonth(month)}</h1>
        {isJapanese() && (
          <span lang="en" className={styles.english}>
            {new Date(month).toLocaleDateString('en', { month: 'long', timeZone: 'UTC' })}
          </span>
        )}
        <Link className={styles.pick} {...dialog.linkTo('pick')}>
          {t('年を選ぶ')}
        </Link>
        {children}
      </div>
      <Step to={addMonths(month, 1)} label="次の月" icon={ChevronRight} isNext />
      <Step to={addMonths(month, 12)} label="次の年" icon={ChevronsRight} />
    </div>
  )
}

type StepProps = { to: Month; label: string; icon: IconNode; isNext?: boolean }

function Step({ to, label, icon, isNext = false }: StepProps) {
  const isInRange = to >= firstMonth && to <= lastMonth
  const path = `/calendar?month=${to}`
  useEffect(() => {
    if (isNext && isInRange) preloadPage(pathIn(languageCode(), path))
  }, [path])
  return isInRange ? (
    <Link className={styles.step} to={path} aria-label={t(label)} title={t(label)} preventScrollReset data-warm>
      <Icon of={icon} size={20} />
    </Link>
  ) : (
    <span className={styles.step} aria-hidden="true" data-end>
      <Icon of={icon} size={20} />
    </span>
  )
}
