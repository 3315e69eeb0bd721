import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import type { Saving } from '../forms/use-save.ts'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import styles from './welcome.module.css'

const WIZARD_TITLE = 'はじめての設定'

/** Steps of the setup wizard, in order. Only the first step, which creates the first administrator, is required. */
export const wizardSteps = [
  { path: '/welcome', title: 'あなたのアカウント' },
  { path: '/welcome/shop', title: 'お店の基本情報' },
  { path: '/welcome/hours', title: '営業時間' },
  { path: '/welcome/pictures', title: '写真と色' },
  { path: '/welcome/pages', title: 'サイトの使いみち' },
] as const

export function stepTitle(step: number) {
  return `${WIZARD_TITLE} ${step}/${wizardSteps.length} ${wizardSteps[step - 1]?.title}`
}

/**
 * Returns the path of the step after `step`, or the path of the home page after the last step. `step` counts from 1.
 */
export function pathAfter(step: number) {
  return wizardSteps[step]?.path ?? '/'
}

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

/** A step with a form. A `question` replaces the buttons of the form. */
export function StepForm({ save, step, question, children }: StepProps & { save: Saving; question?: ReactNode }) {
  const next = pathAfter(step)
  return (
    <WelcomeStep step={step}>
      <SaveForm save={save}>
        {children}
        {question ?? (
          <p className={styles.actions}>
            <SubmitButton busy={save.busy} meanwhile="保存しています…">
              {next === '/' ? '保存して、サイトを見る' : '保存して、次へ'}
            </SubmitButton>
            <Link to={next}>{next === '/' ? 'このままサイトを見る' : 'あとで設定する'}</Link>
          </p>
        )}
        <Outcome save={save} />
      </SaveForm>
    </WelcomeStep>
  )
}
