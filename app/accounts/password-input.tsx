import { type ComponentProps, useEffect, useRef, useState } from 'react'
import button from '../ui/button.module.css'
import styles from './password-input.module.css'

type Props = ComponentProps<'input'> & {
  label: string
  /** Whether the password is shown as it is typed. */
  startsShown?: boolean
}

/** A password input with a button that shows the password. */
export function PasswordInput({ label, startsShown = false, ...input }: Props) {
  const field = useRef<HTMLInputElement>(null)
  const [shown, setShown] = useState(false)
  // Password managers only offer to save an input that has been a password input, and has it again when it is submitted.
  useEffect(() => setShown(startsShown), [startsShown])
  useEffect(() => {
    const form = field.current?.form
    const hide = () => setShown(false)
    form?.addEventListener('submit', hide)
    return () => form?.removeEventListener('submit', hide)
  }, [])
  return (
    <span className={styles.password}>
      <input
        {...input}
        ref={field}
        type={shown ? 'text' : 'password'}
        spellCheck={false}
        autoCapitalize="none"
        autoCorrect="off"
      />
      <button
        type="button"
        className={`${button.button} ${styles.show}`}
        aria-pressed={shown}
        aria-controls={input.id}
        // The focus, with the caret and a phone's keyboard, stays in the input.
        onMouseDown={(event) => event.preventDefault()}
        onClick={() => setShown(!shown)}
      >
        <span className="visually-hidden">{`${label}を`}</span>表示
      </button>
    </span>
  )
}
