import { type ReactNode, useEffect, useRef } from 'react'
import { t } from '../languages/language.ts'
import { announce } from './announce.ts'
import styles from './notice.module.css'

type Props = {
  kind?: 'word' | 'done' | 'trouble'
  /** A counter: another value announces the same sentence again. */
  round?: number
  children: ReactNode
}

export function Notice({ kind = 'word', round = 0, children }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const announced = useRef({ sentence: '', round })
  useEffect(() => {
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
  const clone = box.cloneNode(true) as HTMLElement
  for (const control of clone.querySelectorAll('button, a, input, textarea, select, label')) control.remove()
  // Screen readers join two paragraphs without a full stop into one sentence.
  for (const paragraph of clone.querySelectorAll('p:not(:last-child)'))
    if (!/[。！？.!?]\s*$/.test(paragraph.textContent)) paragraph.append(t('。'))
  return clone.textContent.trim()
}
