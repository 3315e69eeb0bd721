import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/browser'
import { AccountField, CurrentPassword } from '../accounts/account-field.tsx'
import { apiTokenForm, apiTokenScopes, MAX_API_TOKENS } from '../accounts/account-forms.ts'
import styles from '../accounts/accounts.module.css'
import { checkFields } from '../forms/read-fields.ts'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import type { SaveResult } from '../forms/save-result.ts'
import { useSave } from '../forms/use-save.ts'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { AllRequired } from '../ui/field.tsx'
import page from '../ui/page.module.css'
import { ReadOnlyField } from '../ui/read-only-field.tsx'
import { type Account, DisclosureForm, GoogleSignIn } from './account-sections.tsx'

/**
 * The form response of the account page. Only this response contains the text of a new token, or the options for a new
 * passkey.
 */
export type AccountResult = SaveResult & { token?: string; passkey?: PublicKeyCredentialCreationOptionsJSON }

type Props = { tokens: NonNullable<Account['tokens']>; proof: Account['proof'] }

export function ApiTokensSection({ tokens, proof }: Props) {
  const save = useSave({ intents: ['revoke token'] })
  return (
    <section className={page.section}>
      <h2>APIトークン</h2>
      <p>
        ほかのプログラムから、ご自身の権限でこのサイトのデータを読み書きするためのものです。ふだんの営業には必要ありません。パスワードを変更するか、ほかの端末をすべてログアウトさせると、すべて取り消されます。
      </p>
      {tokens.length > 0 && (
        <ul className={styles.devices}>
          {tokens.map(({ id, name, scope, createdAt, usedAt }) => (
            <li key={id}>
              <span className={styles.token}>
                {`${name}（${apiTokenScopes[scope]}）`}
                <br />
                <span className={styles.small}>
                  {`${createdAt}に作成、${usedAt ? `最後の使用は${usedAt}ごろ` : '未使用'}`}
                </span>
              </span>
              <SaveForm save={save} hiddenFields={{ token: id }}>
                <Button type="submit" name="intent" value="revoke token" aria-disabled={save.busy}>
                  <span className="visually-hidden">{`${name}を`}</span>
                  取り消す
                </Button>
              </SaveForm>
            </li>
          ))}
        </ul>
      )}
      <Outcome save={save} />
      {proof === 'sign-in' ? (
        <GoogleSignIn purpose="トークンを作る" target="account" />
      ) : (
        <NewToken proof={proof} isFull={tokens.length >= MAX_API_TOKENS} />
      )}
    </section>
  )
}

function NewToken({ proof, isFull }: { proof: Account['proof']; isFull: boolean }) {
  const save = useSave<AccountResult>({
    intents: ['create token'],
    check: checkFields(apiTokenForm(proof === 'password')),
    resets: true,
  })
  const { answer, errors } = save
  return (
    <>
      <DisclosureForm save={save} title="トークンを作る" intent="create token" meanwhile="作成しています…">
        {isFull && <p>{`トークンは${MAX_API_TOKENS}個まで作れます。使っていないトークンを取り消してください。`}</p>}
        <AllRequired>
          <AccountField
            save={save}
            name="name"
            label="名前"
            hint="使う場所が分かる名前を付けてください。例：レジ"
            autoComplete="off"
          />
          <fieldset className={styles.scopes}>
            <legend>できること</legend>
            {Object.entries(apiTokenScopes).map(([scope, label]) => (
              <label key={scope} className={styles.agree}>
                <input
                  type="radio"
                  name="scope"
                  value={scope}
                  defaultChecked={scope === (answer?.values?.scope ?? 'read')}
                />
                <span>{label}</span>
              </label>
            ))}
            {errors?.scope && <p>{errors.scope.join(' ')}</p>}
          </fieldset>
          {proof === 'password' && <CurrentPassword save={save} />}
        </AllRequired>
      </DisclosureForm>
      {answer?.token && answer.done && (
        <div className={styles.newToken}>
          <ReadOnlyField label="新しいトークン" value={answer.token} />
          <CopyButton text={answer.token}>トークンをコピーする</CopyButton>
        </div>
      )}
    </>
  )
}
