import { useState, useSyncExternalStore } from 'react'
import { announce } from '../ui/announce.ts'
import { lazyComponent } from '../ui/lazy-component.tsx'
import { Notice } from '../ui/notice.tsx'

export const CropDialog = lazyComponent(async () => (await import('./crop-dialog.tsx')).default, <Opening />)

export function useChosenImage() {
  const [chosen, setChosen] = useState<HTMLImageElement | null>(null)
  const [trouble, setTrouble] = useState<string | null>(null)
  const choose = async (file: File | undefined) => {
    if (!file) return
    setTrouble(null)
    const image = await openImage(file)
    if (image) setChosen(image)
    else {
      setTrouble(openErrorOf(file))
      announce(openErrorOf(file))
    }
  }
  const close = () => {
    if (chosen) URL.revokeObjectURL(chosen.src)
    setChosen(null)
  }
  return { chosen, trouble, setTrouble, choose, close }
}

function Opening() {
  const online = useSyncExternalStore(
    subscribeToNetwork,
    () => navigator.onLine,
    () => true,
  )
  if (online) return <p>写真を開いています…</p>
  return (
    <Notice kind="trouble">
      インターネットにつながっていないため、選んだ写真を開けません。つながりしだい開きますので、このままお待ちください。
    </Notice>
  )
}

function subscribeToNetwork(onChange: () => void) {
  addEventListener('online', onChange)
  addEventListener('offline', onChange)
  return () => {
    removeEventListener('online', onChange)
    removeEventListener('offline', onChange)
  }
}

// Decodes with the EXIF orientation. Returns null if the browser cannot decode the format.
async function openImage(file: File) {
  const image = new Image()
  image.src = URL.createObjectURL(file)
  try {
    await image.decode()
    return image
  } catch {
    URL.revokeObjectURL(image.src)
    return null
  }
}

function openErrorOf({ name, type }: File) {
  if (/hei[cf]/i.test(type) || /\.hei[cf]$/i.test(name)) {
    return 'このブラウザではHEIC形式の写真を開けません。JPEGで保存した写真をお選びください。iPhoneでは「設定」→「カメラ」→「フォーマット」→「互換性優先」にすると、JPEGで撮れます。'
  }
  return 'このファイルは写真として開けませんでした。JPEGやPNGの写真をお選びください。'
}
