import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/browser'
import { useEffect, useState } from 'react'
import { Outcome } from '../forms/save-form.tsx'
import type { SaveResult } from '../forms/save-result.ts'
import { useSave } from '../forms/use-save.ts'
import { Button } from '../ui/button.tsx'
import { useBrowserSupport } from '../ui/use-browser-support.ts'
import { PASSKEY_REFUSED } from './account-forms.ts'

export type PasskeySignInResult = SaveResult & { passkey?: PublicKeyCredentialRequestOptionsJSON }

// Shorter than the lifetime of a challenge, so that the browser always offers passkeys with a valid challenge.
const RENEWAL_INTERVAL_MS = 4 * 60_000
const LOGIN = { action: '/login' }

/** Whether the browser can use passkeys of this site. Browsers refuse passkeys for an IP address. */
export function useSupportsPasskeys() {
  return useBrowserSupport('PublicKeyCredential') && !/^(?:[\d.]+$|\[)/.test(location.hostname)
}

function usePasskeySignIn(useBrowserAutofill: boolean) {
  const save = useSave<PasskeySignInResult>({ intents: ['passkey'] })
  const [isCancelled, setIsCancelled] = useState(false)
  const { answer, send } = save

  useEffect(() => {
    const respond = async (optionsJSON: PublicKeyCredentialRequestOptionsJSON) => {
      const { startAuthentication } = await import('@simplewebauthn/browser')
      const response = await startAuthentication({ optionsJSON, useBrowserAutofill })
      await send({ intent: 'passkey', response: JSON.stringify(response) }, LOGIN)
    }
    if (!answer?.passkey) return
    respond(answer.passkey).catch((error: Error) => setIsCancelled(error.name !== 'AbortError'))
  }, [answer])

  return {
    save,
    isCancelled,
    start: () => {
      setIsCancelled(false)
      return send({ intent: 'start passkey' }, LOGIN)
    },
  }
}

export function PasskeyButton() {
  const { save, isCancelled, start } = usePasskeySignIn(false)
  if (!useSupportsPasskeys()) return null
  return (
    <>
      <Button onClick={start} aria-disabled={save.busy}>
        パスキーでログイン
      </Button>
      <Outcome save={save}>{isCancelled ? PASSKEY_REFUSED : undefined}</Outcome>
    </>
  )
}

/** Lets the browser offer passkeys in the field with `autocomplete="username webauthn"`. */
export function PasskeyAutofill() {
  const isSupported = useSupportsPasskeys()
  const { save, start } = usePasskeySignIn(true)
  useEffect(() => {
    if (!isSupported) return
    let renewal: ReturnType<typeof setInterval> | undefined
    let isMounted = true
    const begin = async () => {
      if (!(await PublicKeyCredential.isConditionalMediationAvailable?.()) || !isMounted) return
      renewal = setInterval(start, RENEWAL_INTERVAL_MS)
      await start()
    }
    void begin()
    return () => {
      isMounted = false
      clearInterval(renewal)
    }
  }, [isSupported])
  return save.answer?.intent === 'passkey' && <Outcome save={save} />
}
