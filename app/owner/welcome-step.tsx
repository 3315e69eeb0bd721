import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import type { Saving } from '../forms/use-save.ts'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import { pathAfter, WIZARD_TITLE, wizardSteps } from './steps.ts'
import styles from './welcome.module.css'

type StepProps = {
  /** Number of the step, from 1. */
  step: number
  children: ReactNode
}

export function WelcomeStep({ step, children }: StepProps) {
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <PageTitle title={wizardSteps[step - 1]?.title ?? ''} english="Welcome" />
      <p className={styles.step}>{`${WIZARD_TITLE}　${step} / ${wizardSteps.length}`}</p>
      <progress className={styles.progress} value={step} max={wizardSteps.length} aria-hidden="true" />
      {children}
    </div>
  )
}

type FormProps = {
  save: Saving
  step: number
  question?: ReactNode
  children: ReactNode
}

export function StepForm({ save, step, question, children }: FormProps) {
  return (
    <SaveForm save={save}>
      {children}
      {question ?? (
        <p className={styles.actions}>
          <SubmitButton busy={save.busy} meanwhile="保存しています…">
            {pathAfter(step) === '/' ? '保存して、サイトを見る' : '保存して、次へ'}
          </SubmitButton>
          <Link to={pathAfter(step)}>{pathAfter(step) === '/' ? 'このままサイトを見る' : 'あとで設定する'}</Link>
        </p>
      )}
      <Outcome save={save} />
    </SaveForm>
  )
}
