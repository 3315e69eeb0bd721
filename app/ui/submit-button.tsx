import type { ReactNode } from 'react'
import { useNavigation } from 'react-router'
import button from './button.module.css'

type Props = {
  children: ReactNode
  /** Where the form is a fetcher's: whether that is busy. */
  busy?: boolean
  /** What it says while the answer is awaited. */
  meanwhile?: string
  name?: string
  value?: string
}

/** The button of a form: while its answer is awaited it says so, and further presses do nothing. */
export function SubmitButton({ children, busy, meanwhile = '投稿中…', name, value }: Props) {
  const navigation = useNavigation()
  const waiting = busy ?? navigation.state === 'submitting'
  return (
    <button
      type="submit"
      className={`${button.button} ${button.primary}`}
      name={name}
      value={value}
      aria-disabled={waiting}
      onClick={(event) => waiting && event.preventDefault()}
    >
      {waiting ? meanwhile : children}
    </button>
  )
}
