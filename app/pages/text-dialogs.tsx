import { type ChangeEvent, type KeyboardEvent, type ReactNode, useState } from 'react'
import { createPortal } from 'react-dom'
import { Button } from '../ui/button.tsx'
import { fitsIn } from '../ui/characters.ts'
import dialog from '../ui/dialog.module.css'
import { Dialog } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { isComposing } from '../ui/is-composing.ts'
import { linkRefusal } from '../ui/link-refusal.ts'
import { ALT_TOO_LONG, linkIn, MAX_ALT } from './text.ts'

type LinkProps = {
  href: string
  /** Whether text is selected, which becomes the link. */
  hasWords: boolean
  onLink: (href: string, words: string) => void
  onUnlink: () => void
  onClose: () => void
}

export function LinkDialog({ href, hasWords, onLink, onUnlink, onClose }: LinkProps) {
  const [address, setAddress] = useState(href)
  const [words, setWords] = useState('')
  const [isWrong, setWrong] = useState(false)
  const put = () => {
    const link = linkIn(address)
    if (link) onLink(link.href, words.trim() || address.trim())
    else setWrong(true)
  }
  return outside(
    <Dialog title="リンク" onClose={onClose}>
      <Field
        label="アドレス"
        required
        hint="https:// で始まるアドレスか、/dining のようなこのサイトのページです。"
        errors={isWrong && !linkIn(address) ? [linkRefusal(address.trim())] : undefined}
      >
        {(wiring) => (
          <input {...wiring} inputMode="url" autoComplete="off" value={address} {...typing(setAddress, put)} />
        )}
      </Field>
      {!hasWords && !href && (
        <Field label="リンクにする文字" hint="空欄なら、アドレスがそのまま表示されます。">
          {(wiring) => <input {...wiring} autoComplete="off" value={words} {...typing(setWords, put)} />}
        </Field>
      )}
      <div className={dialog.actions}>
        {href && <Button onClick={onUnlink}>リンクを外す</Button>}
        <Button onClick={onClose}>やめる</Button>
        <Button primary onClick={put}>
          リンクにする
        </Button>
      </div>
    </Dialog>,
  )
}

type PictureProps = {
  alt: string
  onDescribe: (alt: string) => void
  onTakeOut: () => void
  onClose: () => void
}

export function PictureDialog({ alt, onDescribe, onTakeOut, onClose }: PictureProps) {
  const [described, setDescribed] = useState(alt)
  const fits = fitsIn(described.trim(), MAX_ALT)
  const put = () => {
    if (fits) onDescribe(described.trim())
  }
  return outside(
    <Dialog title="写真" onClose={onClose}>
      <Field
        label="写真の説明"
        hint="写真を見られない方のために読み上げられます。（例）窓ぎわの席"
        errors={fits ? undefined : [ALT_TOO_LONG]}
      >
        {(wiring) => <input {...wiring} autoComplete="off" value={described} {...typing(setDescribed, put)} />}
      </Field>
      <div className={dialog.actions}>
        <Button onClick={onTakeOut}>写真を外す</Button>
        <Button onClick={onClose}>やめる</Button>
        <Button primary onClick={put}>
          この説明にする
        </Button>
      </div>
    </Dialog>,
  )
}

// Enter submits the dialog, unless it ends an IME composition.
function typing(set: (value: string) => void, send: () => void) {
  return {
    onChange: (event: ChangeEvent<HTMLInputElement>) => set(event.target.value),
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== 'Enter' || isComposing(event.nativeEvent)) return
      // Otherwise the key would also reach the text, once the dialog is gone.
      event.preventDefault()
      send()
    },
  }
}

// In the page's form, keys and buttons of the dialog would submit that form. React events bubble out of the portal, so
// the form must not receive input and blur events of the dialog.
function outside(shown: ReactNode) {
  return createPortal(
    // biome-ignore lint/a11y/noStaticElementInteractions: it only keeps what happens inside to itself
    <div onInput={(event) => event.stopPropagation()} onBlur={(event) => event.stopPropagation()}>
      {shown}
    </div>,
    document.body,
  )
}
