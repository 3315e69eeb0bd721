import { type ReactNode, useEffect, useRef } from 'react'
import { announce } from './announce.ts'
import styles from './notice.module.css'

type Props = { kind?: 'word' | 'done' | 'trouble'; children: ReactNode }

/** A word to the reader in the page; trouble and success are announced, each time that they say something else. */
export function Notice({ kind = 'word', children }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const announced = useRef('')
  useEffect(() => {
    // What stands here is what is heard, but for the controls in it.
    const sentence = kind === 'word' || !box.current ? '' : sentenceOf(box.current)
    if (sentence !== announced.current) announce(sentence)
    announced.current = sentence
  })
  return (
    <div ref={box} className={`${styles.notice} ${kind === 'word' ? '' : styles[kind]}`} data-notice={kind}>
      {children}
    </div>
  )
}

function sentenceOf(box: HTMLElement) {
  const words = box.cloneNode(true) as HTMLElement
  for (const control of words.querySelectorAll('button, a, input, textarea, select, label')) control.remove()
  return words.textContent.trim()
}
