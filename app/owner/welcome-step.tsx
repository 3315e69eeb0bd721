import type { ReactNode } from 'react'
import { Refused } from '../forms/refused.tsx'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import { steps, WELCOME } from './steps.ts'
import styles from './welcome.module.css'

type Props = {
  /** Counts from 1. */
  step: number
  refusal?: string | null
  children: ReactNode
}

export function WelcomeStep({ step, refusal, children }: Props) {
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <PageTitle title={steps[step - 1]?.title ?? ''} english="Welcome" />
      <p className={styles.step}>{`${WELCOME}　${step} / ${steps.length}`}</p>
      <progress className={styles.progress} value={step} max={steps.length} aria-hidden="true" />
      {refusal && <Refused sentence={refusal} />}
      {children}
    </div>
  )
}
