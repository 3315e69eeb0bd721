import { useEffect, useId, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import Cropper, { type Area, type CropperProps } from 'react-easy-crop'
import 'react-easy-crop/react-easy-crop.css'
import { announce } from '../ui/announce.ts'
import { Button } from '../ui/button.tsx'
import dialog from '../ui/dialog.module.css'
import { Dialog } from '../ui/dialog.tsx'
import { Notice } from '../ui/notice.tsx'
import { type Box, boxes, type Purpose } from './image.ts'
import styles from './image-field.module.css'

const JPEG_QUALITY = 0.7
const shapes = {
  wide: ['横長（16:9）', 16 / 9],
  tall: ['縦長（9:16）', 9 / 16],
  square: ['正方形', 1],
  whole: ['全体を使う', null],
} as const
type Shape = keyof typeof shapes
const shapesByPurpose: Record<Purpose, readonly [Shape, ...Shape[]]> = {
  card: ['square', 'whole'],
  screen: ['wide', 'square', 'whole'],
  portrait: ['tall', 'whole'],
  map: ['whole', 'wide', 'square'],
}

type Props = {
  image: HTMLImageElement
  purpose: Purpose
  onClose: () => void
  onStored: (url: string) => void
}

export default function CropDialog({ image, purpose, onClose, onStored }: Props) {
  const [shape, setShape] = useState(shapesByPurpose[purpose][0])
  const [isLarge, setIsLarge] = useState(purpose !== 'card')
  const [zoom, setZoom] = useState(1)
  const [area, setArea] = useState<Area | null>(null)
  const { sent, trouble, store } = useUpload(onStored)
  const aspect = shapes[shape][1]
  const group = useId()
  const busy = sent !== null
  const whole = { x: 0, y: 0, width: image.naturalWidth, height: image.naturalHeight }
  // The area is known only when the crop area has loaded the image.
  const cropped = aspect ? area : whole
  const submit = () => {
    if (busy || !cropped) return
    store(image, cropped, isLarge ? (purpose === 'portrait' ? 'portrait' : 'screen') : 'card')
  }

  // Renders in a portal, because keys and buttons of the dialog would otherwise submit the surrounding form.
  return createPortal(
    <Dialog title="写真を切り抜く" onClose={onClose}>
      <div className={styles.crop}>
        {aspect ? (
          <CropArea image={image.src} {...{ aspect, zoom }} onZoomChange={setZoom} onArea={setArea} />
        ) : (
          <img src={image.src} alt="選んだ写真の全体" />
        )}
      </div>
      <fieldset className={styles.choices} disabled={busy}>
        <legend className="visually-hidden">切り抜き方</legend>
        {shapesByPurpose[purpose].map((option) => (
          <label key={option}>
            <input type="radio" name={group} checked={shape === option} onChange={() => setShape(option)} />
            {shapes[option][0]}
          </label>
        ))}
      </fieldset>
      {aspect && (
        <label className={styles.zoom}>
          拡大
          <input
            type="range"
            min={1}
            max={3}
            step={0.05}
            value={zoom}
            disabled={busy}
            onChange={(event) => setZoom(Number(event.target.value))}
          />
        </label>
      )}
      {purpose === 'screen' && (
        <label className={styles.choice}>
          <input type="checkbox" checked={isLarge} disabled={busy} onChange={() => setIsLarge(!isLarge)} />
          全画面表示用に大きく保存する
        </label>
      )}
      {busy && (
        <p>
          <span>{sent < 1 ? `${UPLOADING} ${Math.round(sent * 100)} %` : '写真を処理しています…'}</span>
          <progress className={styles.progress} aria-label="写真の送信" max={1} value={sent < 1 ? sent : undefined} />
        </p>
      )}
      {trouble && <Notice kind="trouble">{trouble}</Notice>}
      <div className={dialog.actions}>
        <Button onClick={onClose}>やめる</Button>
        <Button primary aria-disabled={busy || !cropped} onClick={submit}>
          {trouble ? 'もう一度送る' : 'この写真を使う'}
        </Button>
      </div>
    </Dialog>,
    document.body,
  )
}

type CropAreaProps = Pick<CropperProps, 'image' | 'aspect' | 'zoom' | 'onZoomChange'> & { onArea: (area: Area) => void }

function CropArea({ onArea, ...cropperProps }: CropAreaProps) {
  const [crop, setCrop] = useState({ x: 0, y: 0 })
  return (
    <Cropper
      {...cropperProps}
      crop={crop}
      onCropChange={setCrop}
      onCropComplete={(_, pixels) => onArea(pixels)}
      onMediaLoaded={() => setCrop({ x: 0, y: 0 })}
      keyboardStep={8}
      disableAutomaticStylesInjection
      mediaProps={{ alt: '' }}
      cropperProps={{ role: 'group', 'aria-label': '切り抜く範囲。矢印キーで動かせます。' }}
    />
  )
}

const UPLOADING = '送っています…'

/** Manages the upload of a cropped image. `sent` is the uploaded fraction, or null while no upload runs. */
function useUpload(onStored: Props['onStored']) {
  const [sent, setSent] = useState<number | null>(null)
  const [trouble, setTrouble] = useState<string | null>(null)
  const request = useRef<XMLHttpRequest | null>(null)
  const isStored = useRef(false)
  useEffect(
    () => () => {
      request.current?.abort()
      // Announces the upload in the page's live region, because the dialog's live region is removed with the dialog.
      if (isStored.current) announce('写真を追加しました。')
    },
    [],
  )
  const store = async (image: HTMLImageElement, area: Area, box: Box) => {
    setTrouble(null)
    setSent(0)
    announce(UPLOADING)
    try {
      const jpeg = drawImage(image, area, box)
      request.current = new XMLHttpRequest()
      const url = await uploadImage(request.current, jpeg, box, setSent)
      isStored.current = true
      onStored(url)
    } catch (error) {
      console.error('image upload failure', error)
      setTrouble(error instanceof Error ? error.message : String(error))
      setSent(null)
    }
  }
  return { sent, trouble, store }
}

function drawImage(image: HTMLImageElement, area: Area, box: Box) {
  const { width, height } = boxes[box]
  const scale = Math.min(1, width / area.width, height / area.height)
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(area.width * scale))
  canvas.height = Math.max(1, Math.round(area.height * scale))
  const context = canvas.getContext('2d')
  if (context) {
    context.fillStyle = '#fff'
    context.fillRect(0, 0, canvas.width, canvas.height)
    context.imageSmoothingQuality = 'high'
    context.drawImage(image, area.x, area.y, area.width, area.height, 0, 0, canvas.width, canvas.height)
  }
  // Calls toDataURL, because Chromium's toBlob waits up to seven seconds for idle time.
  const [, base64] = canvas.toDataURL('image/jpeg', JPEG_QUALITY).split(',')
  if (!base64) throw new Error('この写真は大きすぎて、この端末では開けません。小さい写真をお選びください。')
  return new Blob([Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0))], { type: 'image/jpeg' })
}

/** Uploads an image. Passes the sent fraction to `onSent`. Returns the URL, or rejects with a message for the user. */
function uploadImage(request: XMLHttpRequest, jpeg: Blob, box: Box, onSent: (fraction: number) => void) {
  const form = new FormData()
  form.append('image', jpeg, 'photo.jpg')
  if (box !== 'card') form.append('large', box)
  return new Promise<string>((resolve, reject) => {
    const rejectConnection = () => reject(new Error('通信に失敗しました。接続をご確認のうえ、もう一度お試しください。'))
    request.upload.onprogress = ({ loaded, total }) => onSent(loaded / total)
    request.onerror = rejectConnection
    request.onload = () => {
      const { success, url, message } = request.response ?? {}
      if (success) resolve(url)
      else if (message) reject(new Error(message))
      else rejectConnection()
    }
    request.open('POST', '/api/upload')
    request.responseType = 'json'
    request.send(form)
  })
}
