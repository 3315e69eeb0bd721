import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/browser'
import { useEffect, useState } from 'react'
import { AccountField, CurrentPassword } from '../accounts/account-field.tsx'
import { newPasskeyForm, PasskeyNameForm } from '../accounts/account-forms.ts'
import styles from '../accounts/accounts.module.css'
import { useSupportsPasskeys } from '../accounts/passkey-sign-in.tsx'
import { checkFields } from '../forms/read-fields.ts'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import { type Saving, useSave } from '../forms/use-save.ts'
import { Button } from '../ui/button.tsx'
import { AllRequired } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import page from '../ui/page.module.css'
import { type Account, DisclosureForm, GoogleSignIn } from './account-sections.tsx'
import type { AccountResult } from './api-tokens-section.tsx'

export function PasskeysSection({ passkeys, proof, deviceName, isAdministrator }: Account) {
  const removal = useSave({ intents: ['remove passkey'] })
  const isSupported = useSupportsPasskeys()
  return (
    <section className={page.section}>
      <h2>パスキー</h2>
      <p>指紋や顔、画面ロックでログインできます。パスワードの入力は要らず、にせのサイトに盗まれる心配もありません。</p>
      {isAdministrator && passkeys.length === 0 && (
        <p className={styles.small}>管理者の方には、パスキーの追加をおすすめしています。</p>
      )}
      {passkeys.length > 0 && (
        <ul className={styles.devices}>
          {passkeys.map((passkey) => (
            <PasskeyItem key={passkey.id} {...passkey} removal={removal} />
          ))}
        </ul>
      )}
      <Outcome save={removal} />
      {!isSupported ? (
        <p className={styles.small}>パスキーは、対応しているブラウザで追加できます。</p>
      ) : proof === 'sign-in' ? (
        <GoogleSignIn purpose="パスキーを追加する" target="account" />
      ) : (
        <NewPasskey requiresPassword={proof === 'password'} deviceName={deviceName} />
      )}
    </section>
  )
}

function PasskeyItem({ id, name, createdAt, usedAt, removal }: Account['passkeys'][number] & { removal: Saving }) {
  const save = useSave({ intents: ['rename passkey'], check: checkFields(PasskeyNameForm) })
  return (
    <li>
      <span className={styles.token}>
        {name}
        <br />
        <span className={styles.small}>{`${createdAt}に追加、${usedAt ? `最後のログインは${usedAt}` : '未使用'}`}</span>
      </span>
      <SaveForm save={removal} hiddenFields={{ passkey: id }}>
        <Button type="submit" name="intent" value="remove passkey" aria-disabled={removal.busy}>
          <span className="visually-hidden">{`パスキー「${name}」を`}</span>
          削除する
        </Button>
      </SaveForm>
      <DisclosureForm save={save} title="名前を変更する" intent="rename passkey" label="変更する">
        <input type="hidden" name="passkey" value={id} />
        <AccountField save={save} name="name" label="名前" autoComplete="off" first={name} />
      </DisclosureForm>
    </li>
  )
}

function NewPasskey({ requiresPassword, deviceName }: { requiresPassword: boolean; deviceName: string }) {
  const save = useSave<AccountResult>({
    intents: ['start passkey', 'add passkey'],
    check: checkFields(newPasskeyForm(requiresPassword)),
    resets: true,
  })
  const { answer, send } = save
  const [problem, setProblem] = useState('')
  useEffect(() => {
    const create = async (optionsJSON: PublicKeyCredentialCreationOptionsJSON) => {
      const { startRegistration } = await import('@simplewebauthn/browser')
      const response = await startRegistration({ optionsJSON })
      await send({ intent: 'add passkey', response: JSON.stringify(response) })
    }
    setProblem('')
    if (!answer?.passkey) return
    create(answer.passkey).catch(({ name }: Error) =>
      setProblem(
        name === 'InvalidStateError'
          ? 'この端末のパスキーは、すでに追加されています。'
          : 'パスキーを追加しませんでした。もう一度お試しください。',
      ),
    )
  }, [answer])
  return (
    <>
      <DisclosureForm save={save} title="パスキーを追加する" intent="start passkey" meanwhile="準備しています…">
        <AllRequired>
          <AccountField
            save={save}
            name="name"
            label="名前"
            hint="どの端末のパスキーか分かる名前を付けてください。"
            autoComplete="off"
            first={deviceName}
          />
          {requiresPassword && <CurrentPassword save={save} />}
        </AllRequired>
      </DisclosureForm>
      {problem && <Notice kind="trouble">{problem}</Notice>}
    </>
  )
}
