import { getFormProps, type SubmissionResult, useForm } from '@conform-to/react'
import { parseWithZod } from '@conform-to/zod/v4'
import { Form } from 'react-router'
import button from '../ui/button.module.css'
import { Notice } from '../ui/notice.tsx'
import page from '../ui/page.module.css'
import { SubmitButton } from '../ui/submit-button.tsx'
import { AccountField, CurrentPassword } from './account-field.tsx'
import { AddressForm } from './account-forms.ts'
import styles from './accounts.module.css'

type Props = {
  email: string
  emailVerified: boolean
  hasPassword: boolean
  /** Whether this site proves addresses by mail. */
  verifies: boolean
  result: SubmissionResult<string[]> | undefined
}

/** The account's address on its own page: proven or not, and the form that changes it. */
export function ChangeAddress({ email, emailVerified, hasPassword, verifies, result }: Props) {
  const [form, fields] = useForm({
    id: 'email',
    lastResult: result,
    onValidate: ({ formData }) => parseWithZod(formData, { schema: AddressForm }),
    shouldRevalidate: 'onInput',
  })
  return (
    <section className={page.section}>
      <h2>メールアドレス</h2>
      <p>
        {email}（{emailVerified ? '確認済み' : '未確認'}）
      </p>
      {!emailVerified && verifies && (
        <Form method="post" className={page.actions}>
          <button type="submit" name="intent" value="verify" className={button.button}>
            確認のメールを送る
          </button>
        </Form>
      )}
      {hasPassword && (
        <details className={styles.more}>
          <summary>メールアドレスを変更する</summary>
          <Form method="post" {...getFormProps(form)} className={styles.form}>
            {form.errors && <Notice kind="trouble">{form.errors}</Notice>}
            <AccountField field={fields.email} label="新しいメールアドレス" type="email" autoComplete="email" />
            <CurrentPassword field={fields.current} />
            <SubmitButton meanwhile="変更しています…" name="intent" value="email">
              変更する
            </SubmitButton>
          </Form>
        </details>
      )}
    </section>
  )
}
