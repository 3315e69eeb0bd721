import {
  type FocusEvent,
  type FormEvent,
  type ReactNode,
  type Ref,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import button from '../ui/button.module.css'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { OnceKey } from './once-key.tsx'
import type { Undo } from './save-answer.ts'
import styles from './save-form.module.css'
import { useActionAtHand } from './use-action-at-hand.ts'
import { type FormDraft, RESTORED } from './use-draft.ts'
import { type Saving, useSave } from './use-save.ts'

type FormProps = {
  save: Saving
  children: ReactNode
  /** The address whose action takes it; the page's own where none is given. */
  action?: string | undefined
  className?: string | undefined
  id?: string
  /** For what a page does with the form itself. */
  ref?: Ref<HTMLFormElement>
  encType?: 'multipart/form-data'
  /** Whether the browser itself looks at the fields: where the form has no check of its own. */
  validates?: boolean
  /** The key by which a repeat is known to the server; the one given is for a page without scripts. */
  once?: string
  /** The stored draft of its input. */
  draft?: FormDraft
  onInput?: () => void
  onBlur?: (event: FocusEvent<HTMLFormElement>) => void
}

/** A form on its way to the server and back. */
export function SaveForm({ save, children, validates = false, once, draft, onInput, ...attributes }: FormProps) {
  const { fetcher, settled } = save
  useActionAtHand(attributes.action)
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
      {once !== undefined && <OnceKey answer={settled} first={once} />}
      {draft?.restored && !save.answer && (
        <Notice>
          <div className={styles.done}>
            <span>{RESTORED}</span>
            <Button onClick={draft.discard}>捨てる</Button>
          </div>
        </Notice>
      )}
      {children}
    </fetcher.Form>
  )
}

/** Announces a refusal whose reasons stand beside the fields. */
export const CHECK_FIELDS = '入力をご確認ください。赤い文字のところに理由があります。'

/**
 * What became of it, beside the button that sent it: announced once, and brought into view. `children` are what else a
 * refusal tells, in place of its sentence.
 */
export function Outcome({ save, children }: { save: Saving; children?: ReactNode }) {
  const { answer, busy, errors, round, told, isTyped, cameWithPage, keepHere } = save
  const box = useRef<HTMLDivElement>(null)
  const trouble = answer?.trouble ?? (errors && CHECK_FIELDS)
  const said = trouble || children
  const done = told ? undefined : answer?.done
  const isSaid = !busy && Boolean(said || done)
  // The router may show the answer a moment before it says that nothing is awaited any more.
  useEffect(() => {
    if (round === 0 || !isSaid || (errors && !children)) return
    box.current?.scrollIntoView({ block: 'nearest' })
    keepHere()
  }, [round, busy])
  // Its place stays: at the end of a page, a shorter one would move what was pressed.
  const [height, setHeight] = useState(0)
  useLayoutEffect(() => {
    if (isSaid) setHeight(box.current?.offsetHeight ?? 0)
  }, [isSaid, round])
  if (!isSaid) return height > 0 && <div className={styles.outcome} style={{ height }} />
  return (
    <div ref={box} className={styles.outcome} {...(cameWithPage && !errors && { tabIndex: -1, autoFocus: true })}>
      {said ? (
        <Notice key={round} kind="trouble">
          {children ?? (
            <>
              {trouble}
              {answer?.signIn && <SignIn />}
            </>
          )}
        </Notice>
      ) : (
        <Done key={round} done={done ?? ''} undo={isTyped ? undefined : answer?.undo} />
      )}
    </div>
  )
}

// In a page of its own: what was typed stays in this one, which hears that its visitor has signed in.
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

/** What was done, and the way to take it back, and that back again. */
export function Done({ done, undo, children }: { done: string; undo?: Undo | undefined; children?: ReactNode }) {
  const save = useSave({ intents: ['take back'], isToldHere: true })
  const { answer, busy, round, told } = save
  // Without an undo there is nothing that its own answer would be about.
  const now = undo && answer?.done && !told ? answer : { done, undo }
  return (
    // Not made anew with an answer: the button in it keeps the focus.
    <Notice round={told ? 0 : round} kind={answer?.trouble ? 'trouble' : 'done'}>
      <div className={styles.done}>
        <span>{answer?.trouble ?? now.done}</span>
        {now.undo && (
          <SaveForm save={save} action={now.undo.action}>
            {Object.entries(now.undo.fields).map(([name, value]) => (
              <input key={name} type="hidden" name={name} value={value} />
            ))}
            <button type="submit" className={button.button} aria-disabled={busy}>
              元に戻す
            </button>
          </SaveForm>
        )}
        {children}
      </div>
    </Notice>
  )
}
