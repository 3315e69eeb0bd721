import { useState, useSyncExternalStore } from 'react'
import { Button } from '../ui/button.tsx'
import styles from './staff.module.css'

export type Link = { url: string; qr: { size: number; path: string } }

export function InvitationLink({ url, qr }: Link) {
  const canShare = useSyncExternalStore(never, () => 'share' in navigator, no)
  const canCopy = useSyncExternalStore(never, () => 'clipboard' in navigator, no)
  const [copied, setCopied] = useState(false)
  return (
    <div className={styles.link}>
      <svg viewBox={`0 0 ${qr.size} ${qr.size}`} role="img" aria-label="招待のQRコード" className={styles.qr}>
        <path d={qr.path} shapeRendering="crispEdges" />
      </svg>
      <div>
        <label>
          招待のリンク
          <input readOnly value={url} onFocus={(event) => event.currentTarget.select()} />
        </label>
        <div className={styles.deeds}>
          {canShare && (
            <Button type="button" primary onClick={() => void navigator.share({ url }).catch(() => {})}>
              送る
            </Button>
          )}
          {canCopy && (
            <Button
              type="button"
              onClick={() =>
                void navigator.clipboard.writeText(url).then(
                  () => setCopied(true),
                  () => {},
                )
              }
            >
              リンクをコピーする
            </Button>
          )}
        </div>
        <p role="status">{copied && 'コピーしました。'}</p>
      </div>
    </div>
  )
}

const never = () => () => {}
const no = () => false
