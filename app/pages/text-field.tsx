import { type ReactNode, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { announce } from '../ui/announce.ts'
import { Field } from '../ui/field.tsx'
import { retryLoad } from '../ui/retry-load.ts'
import { plainTextOf } from './plain-text.ts'
import { type Text, tooMuchOf } from './text.ts'
import { LinkDialog, PictureDialog } from './text-dialogs.tsx'
import styles from './text-field.module.css'
import { textToEdit } from './text-schema.ts'
import { TextTools } from './text-tools.tsx'
import view from './text-view.module.css'
import type { startWriting as StartWriting, State, Writing } from './writing.ts'

type Props = {
  name: string
  label: string
  hint?: ReactNode
  errors?: readonly string[] | undefined
  /** JSON, or plain text from before the editor's script had loaded. To change the value, change the React key. */
  defaultValue?: string
  /** Uploads an image and passes its URL to `put`, which inserts the image. If undefined, the button is hidden. */
  onPicture?: (put: (url: string, alt: string) => void) => void
}

/** Rich-text field that fires input events like a native field. Renders a textarea until its script has loaded. */
export default function TextField({ name, label, hint, errors, defaultValue = '', onPicture }: Props) {
  const start = useStartWriting()
  const plain = useRef<HTMLTextAreaElement>(null)
  const [words] = useState(() => plainTextOf(textToEdit(defaultValue)))
  const [text, setText] = useState(() => textToEdit(defaultValue))
  const [begun, setBegun] = useState(false)
  const [pasted, setPasted] = useState<string | null>(null)

  useEffect(() => {
    if (!start) return
    // The user may have typed in the textarea before the script was loaded.
    const typed = plain.current?.value ?? words
    if (typed !== words) setText(textToEdit(typed))
    setBegun(true)
  }, [start])

  return (
    <Field
      label={label}
      hint={begun ? hint : plainHint(hint)}
      errors={errors}
      warning={errors ? null : (tooMuchOf(text) ?? pasted)}
    >
      {(wiring) =>
        start && begun ? (
          <Desk
            label={label}
            wiring={wiring}
            name={name}
            start={start}
            text={text}
            onText={setText}
            onPasted={setPasted}
            onPicture={onPicture}
          />
        ) : (
          <textarea {...wiring} ref={plain} name={name} rows={16} defaultValue={words} />
        )
      }
    </Field>
  )
}

type DeskProps = Pick<Props, 'name' | 'label' | 'onPicture'> & {
  wiring: { id: string; 'aria-invalid': true | undefined; 'aria-describedby': string | undefined }
  start: typeof StartWriting
  text: Text
  onText: (text: Text) => void
  onPasted: (sentence: string | null) => void
}

type Open = { link: { href: string; hasWords: boolean } } | { figure: HTMLElement } | null

function Desk({ name, label, wiring, start, text, onText, onPasted, onPicture }: DeskProps) {
  const [open, setOpen] = useState<Open>(null)
  const { root, value, writing, state } = useWriting({ wiring, start, text, onText, onPasted }, (figure) =>
    setOpen({ figure }),
  )
  const close = () => flushSync(() => setOpen(null))
  // The dialog closes first, so that the editor can take the focus.
  const done = (does: (writing: Writing) => void) => {
    close()
    if (writing) does(writing)
    writing?.focus()
  }
  return (
    <div className={styles.desk}>
      <TextTools
        writing={writing}
        state={state}
        controls={wiring.id}
        onLink={() => writing && setOpen({ link: writing.linkHere() })}
        onPicture={onPicture && (() => onPicture((url, alt) => writing?.picture(url, alt)))}
      />
      {/* biome-ignore lint/a11y/useFocusableInteractive: the editor makes it editable */}
      <div
        id={wiring.id}
        ref={root}
        className={`${view.text} ${styles.paper}`}
        role="textbox"
        aria-multiline="true"
        aria-label={label}
      />
      <input ref={value} type="hidden" name={name} value={JSON.stringify(text)} />
      {open && 'link' in open && (
        <LinkDialog
          {...open.link}
          onLink={(href, words) => done((writing) => writing.link(href, words))}
          onUnlink={() => done((writing) => writing.unlink())}
          onClose={close}
        />
      )}
      {open && 'figure' in open && (
        <PictureDialog
          alt={open.figure.querySelector('img')?.alt ?? ''}
          onDescribe={(alt) => done((writing) => writing.describe(open.figure, alt))}
          onTakeOut={() => {
            done((writing) => writing.takeOut(open.figure))
            announce('写真を外しました。')
          }}
          onClose={close}
        />
      )}
    </div>
  )
}

type Wired = Pick<DeskProps, 'wiring' | 'start' | 'text' | 'onText' | 'onPasted'>

function useWriting({ wiring, start, text, onText, onPasted }: Wired, onFigure: (figure: HTMLElement) => void) {
  const root = useRef<HTMLDivElement>(null)
  const value = useRef<HTMLInputElement>(null)
  const [writing, setWriting] = useState<Writing | null>(null)
  const [state, setState] = useState(nothingYet)
  useEffect(() => {
    if (!root.current) return
    const begun = start(root.current, text, {
      onText(next) {
        flushSync(() => {
          onText(next)
          onPasted(null)
        })
        // The form listens for input events, which a hidden input does not fire.
        value.current?.dispatchEvent(new Event('input', { bubbles: true }))
      },
      onState: (next) => setState((before) => (isSame(before, next) ? before : next)),
      onPasted,
      onFigure,
    })
    setWriting(begun)
    return begun.stop
  }, [start])
  useEffect(() => focusWithLabel(root.current), [])
  const { 'aria-invalid': invalid, 'aria-describedby': describedBy } = wiring
  useEffect(() => {
    writing?.setAttributes({ 'aria-invalid': invalid && 'true', 'aria-describedby': describedBy })
  }, [writing, invalid, describedBy])
  return { root, value, writing, state }
}

// Squire needs a document when its module is loaded, so the module is loaded only in the browser.
let loaded: typeof StartWriting | undefined

function useStartWriting() {
  const [start, setStart] = useState<{ with: typeof StartWriting } | null>(null)
  useEffect(() => {
    const begin = async () => {
      loaded ??= (await retryLoad(() => import('./writing.ts'))).startWriting
      setStart({ with: loaded })
    }
    begin()
  }, [])
  return start?.with ?? null
}

// Browsers focus only native controls when their label is clicked.
function focusWithLabel(root: HTMLElement | null) {
  const label = document.querySelector<HTMLElement>(`label[for="${root?.id}"]`)
  const focus = () => root?.focus()
  label?.addEventListener('click', focus)
  return () => label?.removeEventListener('click', focus)
}

const nothingYet: State = { kind: 'paragraph', bold: false, link: false, canUndo: false, canRedo: false }

function isSame<State extends object>(some: State, others: State) {
  return (Object.keys(some) as (keyof State)[]).every((key) => some[key] === others[key])
}

function plainHint(hint: ReactNode) {
  return (
    <>
      {hint && <span>{hint}</span>}
      {
        ' 空の行で段落が分かれます。■ または # で始まる行は見出し、□ は小見出し、・ または - で始まる行は箇条書きになります。'
      }
    </>
  )
}
