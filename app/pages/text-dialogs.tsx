import { type ChangeEvent, type KeyboardEvent, type ReactNode, useState } from 'react'
import { createPortal } from 'react-dom'
import { Button } from '../ui/button.tsx'
import { fitsIn } from '../ui/characters.ts'
import dialog from '../ui/dialog.module.css'
import { Dialog } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { isComposing } from '../ui/is-composing.ts'
import { linkRefusal } from '../ui/link-refusal.ts'
import { ALT_TOO_LONG, MAX_ALT, parseLink } from './text.ts'

type LinkProps = {
  href: string
  hasSelection: boolean
  onLink: (href: string, label: string) => void
  onUnlink: () => void
  onClose: () => void
}

export function LinkDialog({ href, hasSelection, onLink, onUnlink, onClose }: LinkProps) {
  const [url, setUrl] = useState(href)
  const [label, setLabel] = useState('')
  const [isInvalid, setInvalid] = useState(false)
  const submit = () => {
    const link = parseLink(url)
    if (link) onLink(link.href, label.trim() || url.trim())
    else setInvalid(true)
  }
  return renderOutsideForm(
    <Dialog title="リンク" onClose={onClose}>
      <Field
        label="アドレス"
        required
        hint="https:// で始まるアドレスか、/dining のようなこのサイトのページです。"
        errors={isInvalid && !parseLink(url) ? [linkRefusal(url.trim())] : undefined}
      >
        {(wiring) => (
          <input {...wiring} inputMode="url" autoComplete="off" value={url} {...inputHandlers(setUrl, submit)} />
        )}
      </Field>
      {!hasSelection && !href && (
        <Field label="リンクにする文字" hint="空欄なら、アドレスがそのまま表示されます。">
          {(wiring) => <input {...wiring} autoComplete="off" value={label} {...inputHandlers(setLabel, submit)} />}
        </Field>
      )}
      <div className={dialog.actions}>
        {href && <Button onClick={onUnlink}>リンクを外す</Button>}
        <Button onClick={onClose}>やめる</Button>
        <Button primary onClick={submit}>
          リンクにする
        </Button>
      </div>
    </Dialog>,
  )
}

type ImageProps = {
  alt: string
  onDescribe: (alt: string) => void
  onRemove: () => void
  onClose: () => void
}

export function ImageDialog({ alt, onDescribe, onRemove, onClose }: ImageProps) {
  const [description, setDescription] = useState(alt)
  const fits = fitsIn(description.trim(), MAX_ALT)
  const submit = () => {
    if (fits) onDescribe(description.trim())
  }
  return renderOutsideForm(
    <Dialog title="写真" onClose={onClose}>
      <Field
        label="写真の説明"
        hint="写真を見られない方のために読み上げられます。（例）窓ぎわの席"
        errors={fits ? undefined : [ALT_TOO_LONG]}
      >
        {(wiring) => (
          <input {...wiring} autoComplete="off" value={description} {...inputHandlers(setDescription, submit)} />
        )}
      </Field>
      <div className={dialog.actions}>
        <Button onClick={onRemove}>写真を外す</Button>
        <Button onClick={onClose}>やめる</Button>
        <Button primary onClick={submit}>
          この説明にする
        </Button>
      </div>
    </Dialog>,
  )
}

// Enter submits the dialog, unless the key confirms an IME composition.
function inputHandlers(set: (value: string) => void, submit: () => void) {
  return {
    onChange: (event: ChangeEvent<HTMLInputElement>) => set(event.target.value),
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== 'Enter' || isComposing(event.nativeEvent)) return
      // Otherwise the key would reach the editor after the dialog has closed.
      event.preventDefault()
      submit()
    },
  }
}

// Outside the page's form, which its buttons and keys would submit. React events still reach it, so two are stopped.
function renderOutsideForm(children: ReactNode) {
  return createPortal(
    // biome-ignore lint/a11y/noStaticElementInteractions: the element only stops events
    <div onInput={(event) => event.stopPropagation()} onBlur={(event) => event.stopPropagation()}>
      {children}
    </div>,
    document.body,
  )
}
