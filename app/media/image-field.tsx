import { ImagePlus, Undo2, X } from 'lucide'
import { useId, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import button from '../ui/button.module.css'
import { Button } from '../ui/button.tsx'
import field from '../ui/field.module.css'
import { LabelText } from '../ui/field.tsx'
import { Icon } from '../ui/icon.tsx'
import { CropDialog, useChosenImage } from './choose-image.tsx'
import type { Purpose } from './image.ts'
import styles from './image-field.module.css'
import { ResponsiveImage } from './responsive-image.tsx'

const CROP_HINT = 'スマートフォンで撮るか、写真を選んでください。切り抜いてから保存します。'
const hints: Record<Purpose, string> = {
  card: CROP_HINT,
  screen: CROP_HINT,
  portrait:
    'スマートフォンを縦に持つ方には、この写真を画面いっぱいに表示します。なければ、上の写真の中央部分を表示します。',
  map: '紙に描いた地図をスマートフォンで撮るか、写真を選んでください。切り抜かずに、全体を使えます。',
}

type Props = {
  name: string
  label: string
  required?: boolean
  url: string
  purpose: Purpose
  errors?: readonly string[] | undefined
}

export function ImageField(props: Props) {
  const { name, label, required = false, url, purpose, errors } = props
  const id = useId()
  const value = useRef<HTMLInputElement>(null)
  const [shown, setShown] = useState(url)
  const { chosen, trouble, setTrouble, choose, close } = useChosenImage()
  const [isDraggedOver, setIsDraggedOver] = useState(false)

  const change = (next: string) => {
    flushSync(() => setShown(next))
    setTrouble(null)
    // React sets the value without an input event, but the handlers of the form need this event.
    value.current?.dispatchEvent(new Event('input', { bubbles: true }))
  }
  const store = (stored: string) => {
    close()
    change(stored)
  }
  const shownErrors = trouble ? [trouble] : (errors ?? [])

  return (
    <fieldset
      className={`${styles.field} ${isDraggedOver ? styles.over : ''}`}
      aria-describedby={`${id}-hint`}
      onDragOver={(event) => {
        event.preventDefault()
        setIsDraggedOver(true)
      }}
      onDragLeave={() => setIsDraggedOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setIsDraggedOver(false)
        if (!event.currentTarget.matches(':disabled')) choose(event.dataTransfer.files[0])
      }}
    >
      <legend className={field.label}>
        <LabelText label={label} required={required} />
      </legend>
      <span className={field.hint} id={`${id}-hint`}>
        {hints[purpose]}
      </span>
      <div className={styles.row}>
        {shown && (
          <div className={styles[purpose]}>
            <ResponsiveImage url={shown} alt="現在の写真" sizes="240px" />
          </div>
        )}
        <div className={styles.actions}>
          <input
            id={id}
            className={styles.file}
            type="file"
            accept="image/*"
            required={required && !shown}
            aria-invalid={shownErrors.length > 0 || undefined}
            aria-describedby={`${id}-error`}
            onChange={(event) => {
              // Safari does not focus the input of a pressed label, but the dialog returns focus to this input.
              event.target.focus({ preventScroll: true })
              choose(event.target.files?.[0])
              // An unchanged value would fire no change event if the same file is chosen again.
              event.target.value = ''
            }}
          />
          <label htmlFor={id} className={`${button.button} ${styles.pick}`}>
            <Icon of={ImagePlus} size={18} />
            <span>{shown ? '写真を変える' : '写真を選ぶ'}</span>
          </label>
          {shown && (
            <Button onClick={() => change('')}>
              <Icon of={X} size={18} />
              写真を外す
            </Button>
          )}
          {url && shown !== url && (
            <Button onClick={() => change(url)}>
              <Icon of={Undo2} size={18} />
              元の写真に戻す
            </Button>
          )}
        </div>
      </div>
      <input ref={value} type="hidden" name={name} value={shown} />
      <span className={field.error} id={`${id}-error`} hidden={shownErrors.length === 0}>
        {shownErrors.join(' ')}
      </span>
      {chosen && <CropDialog image={chosen} purpose={purpose} onClose={close} onStored={store} />}
    </fieldset>
  )
}
