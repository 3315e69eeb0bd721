import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import type { Saving } from '../forms/use-save.ts'
import { SubmitButton } from '../ui/submit-button.tsx'
import { after } from './steps.ts'
import styles from './welcome.module.css'

type Props = {
  save: Saving
  step: number
  encType?: 'multipart/form-data'
  question?: ReactNode
  children: ReactNode
}

export function StepForm({ save, step, question, children, ...given }: Props) {
  return (
    <SaveForm save={save} {...given}>
      {children}
      {question ?? (
        <p className={styles.actions}>
          <SubmitButton busy={save.busy} meanwhile="保存しています…">
            {after(step) === '/' ? '保存して、サイトを見る' : '保存して、次へ'}
          </SubmitButton>
          <Link to={after(step)}>{after(step) === '/' ? 'このままサイトを見る' : 'あとで決める'}</Link>
        </p>
      )}
      <Outcome save={save} />
    </SaveForm>
  )
}
