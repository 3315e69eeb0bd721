import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { announce } from '../ui/announce.ts'
import { Field } from '../ui/field.tsx'
import { retryLoad } from '../ui/retry-load.ts'
import { plainTextOf } from './plain-text.ts'
import { lengthErrorOf, type Text } from './text.ts'
import { ImageDialog, LinkDialog } from './text-dialogs.tsx'
import type { EditorState, startEditor as StartEditor, TextEditor } from './text-editor.ts'
import styles from './text-field.module.css'
import { textToEdit } from './text-schema.ts'
import { TextToolbar } from './text-toolbar.tsx'
import view from './text-view.module.css'

type Props = {
  name: string
  label: string
  errors?: readonly string[] | undefined
  /** JSON, or plain text that was typed before the script had loaded. To change the value, change the React key. */
  defaultValue?: string
  /** Uploads an image and passes its URL to `insert`. If undefined, the image button is hidden. */
  onPicture?: (insert: (url: string, alt: string) => void) => void
}

/** Rich-text field that fires input events like a native field. Renders a textarea until its script has loaded. */
export default function TextField({ name, label, errors, defaultValue = '', onPicture }: Props) {
  const start = useStartEditor()
  const textarea = useRef<HTMLTextAreaElement>(null)
  const [initialText] = useState(() => textToEdit(defaultValue))
  const [initialPlainText] = useState(() => plainTextOf(initialText))
  const [text, setText] = useState(initialText)
  const [isHydrated, setHydrated] = useState(false)
  const [pasteNotice, setPasteNotice] = useState<string | null>(null)

  // Plain text has no formats, so only changed plain text replaces the text.
  const readTextarea = () => {
    const plainText = textarea.current?.value ?? initialPlainText
    setText(plainText === initialPlainText ? initialText : textToEdit(plainText))
  }
  useEffect(() => {
    readTextarea()
    setHydrated(true)
  }, [])

  return (
    <Field
      label={label}
      hint={start ? undefined : PLAIN_TEXT_HINT}
      errors={errors}
      warning={errors ? null : (lengthErrorOf(text) ?? pasteNotice)}
    >
      {(wiring) =>
        start ? (
          <Editor
            label={label}
            wiring={wiring}
            name={name}
            start={start}
            text={text}
            onText={setText}
            onPasted={setPasteNotice}
            onPicture={onPicture}
          />
        ) : (
          <>
            <textarea
              {...wiring}
              ref={textarea}
              name={isHydrated ? undefined : name}
              rows={16}
              defaultValue={initialPlainText}
              onInput={readTextarea}
            />
            {isHydrated && <input type="hidden" name={name} value={JSON.stringify(text)} />}
          </>
        )
      }
    </Field>
  )
}

type EditorProps = Pick<Props, 'name' | 'label' | 'onPicture'> & {
  wiring: { id: string; 'aria-invalid': true | undefined; 'aria-describedby': string | undefined }
  start: typeof StartEditor
  text: Text
  onText: (text: Text) => void
  onPasted: (sentence: string | null) => void
}

type OpenDialog = { link: { href: string; hasSelection: boolean } } | { figure: HTMLElement } | null

function Editor({ name, label, wiring, start, text, onText, onPasted, onPicture }: EditorProps) {
  const [dialog, setDialog] = useState<OpenDialog>(null)
  const { root, hiddenInput, editor, state } = useEditor({ wiring, start, text, onText, onPasted }, (figure) =>
    setDialog({ figure }),
  )
  const close = () => flushSync(() => setDialog(null))
  // The dialog closes first, so that the editor can take the focus.
  const closeAndApply = (apply: (editor: TextEditor) => void) => {
    close()
    if (editor) apply(editor)
    editor?.focus()
  }
  return (
    <div className={styles.desk}>
      <TextToolbar
        editor={editor}
        state={state}
        controls={wiring.id}
        onLink={() => editor && setDialog({ link: editor.currentLink() })}
        onPicture={onPicture && (() => onPicture((url, alt) => editor?.insertImage(url, alt)))}
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
      <input ref={hiddenInput} type="hidden" name={name} value={JSON.stringify(text)} />
      {dialog && 'link' in dialog && (
        <LinkDialog
          {...dialog.link}
          onLink={(href, label) => closeAndApply((editor) => editor.setLink(href, label))}
          onUnlink={() => closeAndApply((editor) => editor.removeLink())}
          onClose={close}
        />
      )}
      {dialog && 'figure' in dialog && (
        <ImageDialog
          alt={dialog.figure.querySelector('img')?.alt ?? ''}
          onDescribe={(alt) => closeAndApply((editor) => editor.setImageAlt(dialog.figure, alt))}
          onRemove={() => {
            closeAndApply((editor) => editor.removeImage(dialog.figure))
            announce('写真を外しました。')
          }}
          onClose={close}
        />
      )}
    </div>
  )
}

type EditorOptions = Pick<EditorProps, 'wiring' | 'start' | 'text' | 'onText' | 'onPasted'>

function useEditor({ wiring, start, text, onText, onPasted }: EditorOptions, onFigure: (figure: HTMLElement) => void) {
  const root = useRef<HTMLDivElement>(null)
  const hiddenInput = useRef<HTMLInputElement>(null)
  const [editor, setEditor] = useState<TextEditor | null>(null)
  const [state, setState] = useState(initialState)
  // The textarea has the same ID. If the user is typing in the textarea, the editor takes the focus.
  const [takesFocus] = useState(() => document.activeElement?.id === wiring.id)
  // A layout effect, because focus recovery would move the focus after the render.
  useLayoutEffect(() => {
    if (!root.current) return
    const started = start(root.current, text, {
      onText(next) {
        flushSync(() => {
          onText(next)
          onPasted(null)
        })
        // The form listens for input events, which a hidden input does not fire.
        hiddenInput.current?.dispatchEvent(new Event('input', { bubbles: true }))
      },
      onState: setState,
      onPasted,
      onFigure,
    })
    if (takesFocus) started.focusEnd()
    setEditor(started)
    return started.stop
  }, [start])
  useEffect(() => focusWithLabel(root.current), [])
  const { 'aria-invalid': invalid, 'aria-describedby': describedBy } = wiring
  useEffect(() => {
    editor?.setAttributes({ 'aria-invalid': invalid && 'true', 'aria-describedby': describedBy })
  }, [editor, invalid, describedBy])
  return { root, hiddenInput, editor, state }
}

// Squire needs a document when its module is loaded, so the module is loaded only in the browser.
let loadedStart: typeof StartEditor | undefined

function useStartEditor() {
  const [start, setStart] = useState(() => loadedStart)
  useEffect(() => {
    retryLoad(() => import('./text-editor.ts')).then(({ startEditor }) => {
      loadedStart = startEditor
      setStart(() => startEditor)
    })
  }, [])
  return start
}

// Browsers focus only native controls when their label is clicked.
function focusWithLabel(root: HTMLElement | null) {
  const label = document.querySelector<HTMLElement>(`label[for="${root?.id}"]`)
  const focus = () => root?.focus()
  label?.addEventListener('click', focus)
  return () => label?.removeEventListener('click', focus)
}

const initialState: EditorState = { kind: 'paragraph', bold: false, link: false, canUndo: false, canRedo: false }

const PLAIN_TEXT_HINT =
  ' 空行で段落が分かれます。■ または # で始まる行は見出し、□ は小見出し、・ または - で始まる行は箇条書きになります。'
