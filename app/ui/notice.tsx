import { type ReactNode, useEffect, useRef } from 'react'
import { announce } from './announce.ts'
import styles from './notice.module.css'

type Props = {
  kind?: 'word' | 'done' | 'trouble'
  /** Counts how often it was said: the same sentence is heard again with another. */
  round?: number
  children: ReactNode
}

/** A word to the reader in the page; trouble and success are announced, each time that they say something else. */
export function Notice({ kind = 'word', round = 0, children }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const announced = useRef({ sentence: '', round })
  useEffect(() => {
    // What stands here is what is heard, but for the controls in it.
    const sentence = kind === 'word' || !box.current ? '' : sentenceOf(box.current)
    const { current } = announced
    if (sentence !== current.sentence || round !== current.round) announce(sentence)
    announced.current = { sentence, round }
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
  // Without a full stop between them two paragraphs are read as one sentence.
  for (const paragraph of words.querySelectorAll('p:not(:last-child)'))
    if (!/[。！？]\s*$/.test(paragraph.textContent)) paragraph.append('。')
  return words.textContent.trim()
}
