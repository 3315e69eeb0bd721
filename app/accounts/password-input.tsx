import { type ComponentProps, useEffect, useRef, useState } from 'react'
import button from '../ui/button.module.css'
import styles from './password-input.module.css'

type Props = ComponentProps<'input'> & {
  label: string
  startsShown?: boolean
}

export function PasswordInput({ label, startsShown = false, ...input }: Props) {
  const field = useRef<HTMLInputElement>(null)
  const [isShown, setIsShown] = useState(false)
  // Password managers offer to save only if the type is `password` at first and again on submit.
  useEffect(() => setIsShown(startsShown), [startsShown])
  useEffect(() => {
    const form = field.current?.form
    const hide = () => setIsShown(false)
    form?.addEventListener('submit', hide)
    return () => form?.removeEventListener('submit', hide)
  }, [])
  return (
    <span className={styles.password}>
      <input
        {...input}
        ref={field}
        type={isShown ? 'text' : 'password'}
        spellCheck={false}
        autoCapitalize="none"
        autoCorrect="off"
      />
      <button
        type="button"
        className={`${button.button} ${styles.show}`}
        aria-pressed={isShown}
        aria-controls={input.id}
        // Without a blur, the caret and the on-screen keyboard stay in the input.
        onMouseDown={(event) => event.preventDefault()}
        onClick={() => setIsShown(!isShown)}
      >
        <span className="visually-hidden">{`${label}を`}</span>表示
      </button>
    </span>
  )
}
