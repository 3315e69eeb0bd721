import { PageTitle } from '../ui/page-title.tsx'
import { steps } from './steps.ts'
import styles from './welcome.module.css'

/** Which of the five steps this is, from 1. */
export function WelcomeHead({ step }: { step: number }) {
  return (
    <>
      <PageTitle title={steps[step - 1]?.title ?? ''} english="Welcome" />
      <p className={styles.step}>
        はじめての設定　{step} / {steps.length}
      </p>
      <progress className={styles.progress} value={step} max={steps.length} aria-hidden="true" />
    </>
  )
}
