import { type FormEvent, type ReactNode, type Ref, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { FetcherFormProps } from 'react-router'
import { t } from '../languages/language.ts'
import { preloadScripts } from '../platform/router-workarounds.ts'
import { Button, LinkButton } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { IdempotencyKey } from './idempotency-key.tsx'
import styles from './save-form.module.css'
import type { NextLink, Undo } from './save-result.ts'
import { DRAFT_RESTORED, type FormDraft } from './use-draft.ts'
import { type Saving, useSave } from './use-save.ts'

type FormProps = Pick<FetcherFormProps, 'action' | 'className' | 'onBlur'> & {
  save: Saving
  children: ReactNode
  /** Values by the names of the fields. */
  hiddenFields?: Record<string, string | number>
  ref?: Ref<HTMLFormElement>
  /** Whether the browser validates the fields. Set for forms without a `check` function. */
  validates?: boolean
  /** Adds an idempotency key. The value is the initial key for pages without JavaScript. */
  once?: string
  draft?: FormDraft
  onInput?: () => void
}

export function SaveForm({ save, children, validates = false, once, draft, onInput, ...props }: FormProps) {
  const { hiddenFields = {}, ...attributes } = props
  const { fetcher, answer } = save
  const { action } = attributes
  useEffect(() => {
    if (action !== undefined) void preloadScripts(action)
  }, [action])
  return (
    <fetcher.Form
      {...attributes}
      method="post"
      noValidate={!validates}
      onSubmit={save.onSubmit}
      onInput={(event: FormEvent<HTMLFormElement>) => {
        save.onInput(event)
        draft?.onInput(event)
        onInput?.()
      }}
    >
      {once !== undefined && <IdempotencyKey answer={answer} first={once} />}
      {draft?.restored && !answer && (
        <Notice>
          <div className={styles.done}>
            <span>{t(DRAFT_RESTORED)}</span>
            <Button onClick={draft.discard}>{t('破棄する')}</Button>
          </div>
        </Notice>
      )}
      {Object.entries(hiddenFields).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {children}
    </fetcher.Form>
  )
}

export const CHECK_FIELDS = '入力内容をご確認ください。赤い文字で理由を表示しています。'

export function Outcome({ save, children }: { save: Saving; children?: ReactNode }) {
  const { answer, busy, errors, round, told, isTyped, cameWithPage, updateAnchor, isInOtherField } = save
  const box = useRef<HTMLDivElement>(null)
  const errorMessage = answer?.trouble ?? (errors && CHECK_FIELDS)
  const errorContent = errorMessage || children
  const done = told ? undefined : answer?.done
  const hasContent = !busy && Boolean(errorContent || done)
  // The effect depends on `busy`, because the response may arrive before the router becomes idle.
  useEffect(() => {
    if (round === 0 || !hasContent || (errors && !children) || isInOtherField()) return
    box.current?.scrollIntoView({ block: 'nearest' })
    updateAnchor()
  }, [round, busy])
  // Reserves the height of the removed notice, because a shorter page would move the pressed button.
  const [height, setHeight] = useState(0)
  useLayoutEffect(() => {
    if (hasContent) setHeight(box.current?.offsetHeight ?? 0)
  }, [hasContent, round])
  if (!hasContent) return height > 0 && <div className={styles.outcome} style={{ height }} />
  return (
    <div ref={box} className={styles.outcome} {...(cameWithPage && !errors && { tabIndex: -1, autoFocus: true })}>
      {errorContent ? (
        <Notice key={round} kind="trouble">
          {children ?? (
            <>
              {errorMessage && t(errorMessage)}
              {answer?.signIn && <SignIn />}
            </>
          )}
        </Notice>
      ) : (
        <Done key={round} done={done ?? ''} undo={isTyped ? undefined : answer?.undo} next={answer?.next} />
      )}
    </div>
  )
}

// Opens a new tab, so that the input on this page is not lost. This page is notified of the sign-in.
function SignIn() {
  return (
    <>
      {' '}
      <a href="/login" target="_blank" rel="noopener">
        ログイン画面を開く
      </a>
    </>
  )
}

type DoneProps = { done: string; undo?: Undo | undefined; next?: NextLink | undefined; children?: ReactNode }

export function Done({ done, undo, next, children }: DoneProps) {
  const save = useSave({ intents: ['take back'], isReportedHere: true })
  const { answer, busy, round, told } = save
  // Ignores the response of an earlier undo if the current message has no undo.
  const current = undo && answer?.done && !told ? answer : { done, undo, next }
  return (
    // The notice is not remounted after a response, so that the button does not lose the focus.
    <Notice round={told ? 0 : round} kind={answer?.trouble ? 'trouble' : 'done'}>
      <div className={styles.done}>
        <span>{answer?.trouble ?? current.done}</span>
        {current.undo && (
          <SaveForm save={save} action={current.undo.action} hiddenFields={current.undo.fields}>
            <Button type="submit" aria-disabled={busy}>
              元に戻す
            </Button>
          </SaveForm>
        )}
        {current.next && <LinkButton to={current.next.to}>{current.next.label}</LinkButton>}
        {children}
      </div>
    </Notice>
  )
}
