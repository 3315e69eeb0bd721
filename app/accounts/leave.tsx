import { getFormProps, type SubmissionResult, useForm } from '@conform-to/react'
import { parseWithZod } from '@conform-to/zod/v4'
import { Form } from 'react-router'
import { Notice } from '../ui/notice.tsx'
import page from '../ui/page.module.css'
import { SubmitButton } from '../ui/submit-button.tsx'
import { CurrentPassword } from './account-field.tsx'
import { LeaveForm } from './account-forms.ts'
import styles from './accounts.module.css'

type Props = { hasPassword: boolean; result: SubmissionResult<string[]> | undefined }

/** The form that erases one's account, with what goes with it. */
export function Leave({ hasPassword, result }: Props) {
  const [form, fields] = useForm({
    id: 'leave',
    lastResult: result,
    onValidate: ({ formData }) => parseWithZod(formData, { schema: LeaveForm }),
    shouldRevalidate: 'onInput',
  })
  return (
    <section className={page.section}>
      <h2>退会</h2>
      <details className={styles.more}>
        <summary>退会する</summary>
        <Form method="post" {...getFormProps(form)} className={styles.form}>
          {form.errors && <Notice kind="trouble">{form.errors}</Notice>}
          <p>アカウント、メンバー登録、ログインの記録がその場で消えます。元には戻せません。</p>
          <label className={styles.agree}>
            <input
              type="checkbox"
              name={fields.agreed.name}
              aria-invalid={fields.agreed.errors ? true : undefined}
              aria-describedby={fields.agreed.errors && 'leave-agreed-error'}
            />
            内容を確認しました
          </label>
          {fields.agreed.errors && (
            <p id="leave-agreed-error" role="alert">
              {fields.agreed.errors}
            </p>
          )}
          {hasPassword && <CurrentPassword field={fields.current} />}
          <SubmitButton meanwhile="退会の手続きをしています…" name="intent" value="leave">
            退会する
          </SubmitButton>
        </Form>
      </details>
    </section>
  )
}
