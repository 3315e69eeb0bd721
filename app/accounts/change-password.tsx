import { getFormProps, type SubmissionResult, useForm } from '@conform-to/react'
import { parseWithZod } from '@conform-to/zod/v4'
import { Form, Link } from 'react-router'
import { Notice } from '../ui/notice.tsx'
import page from '../ui/page.module.css'
import { SubmitButton } from '../ui/submit-button.tsx'
import { CurrentPassword, NewPasswordField } from './account-field.tsx'
import { passwordForm } from './account-forms.ts'
import styles from './accounts.module.css'
import type { PasswordPolicy } from './password.ts'

type Props = { hasPassword: boolean; policy: PasswordPolicy; result: SubmissionResult<string[]> | undefined }

/** The form that changes one's own password; who signs in with Google only is told how to get one. */
export function ChangePassword({ hasPassword, policy, result }: Props) {
  const [form, fields] = useForm({
    id: 'password',
    lastResult: result,
    onValidate: ({ formData }) => parseWithZod(formData, { schema: passwordForm(policy) }),
    shouldRevalidate: 'onInput',
  })
  return (
    <section className={page.section}>
      <h2>パスワード</h2>
      {hasPassword ? (
        <details className={styles.more}>
          <summary>パスワードを変更する</summary>
          <Form method="post" {...getFormProps(form)} className={styles.form}>
            {form.errors && <Notice kind="trouble">{form.errors}</Notice>}
            <CurrentPassword field={fields.current} />
            <NewPasswordField field={fields.password} label="新しいパスワード" policy={policy} />
            <SubmitButton meanwhile="変更しています…" name="intent" value="password">
              変更する
            </SubmitButton>
          </Form>
        </details>
      ) : (
        <p>
          Googleでログインされているため、パスワードはありません。必要なときは
          <Link to="/resetpassword">パスワードの再設定</Link>から決められます。
        </p>
      )}
    </section>
  )
}
