import { useState, useSyncExternalStore } from 'react'
import { Button } from '../ui/button.tsx'
import styles from './staff.module.css'

export type InvitationLinkProps = { url: string; qr: { size: number; path: string } }

export function InvitationLink({ url, qr }: InvitationLinkProps) {
  const canShare = useSyncExternalStore(subscribeToNothing, () => 'share' in navigator, returnFalse)
  const canCopy = useSyncExternalStore(subscribeToNothing, () => 'clipboard' in navigator, returnFalse)
  const [isCopied, setIsCopied] = useState(false)
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
                  () => setIsCopied(true),
                  () => {},
                )
              }
            >
              リンクをコピーする
            </Button>
          )}
        </div>
        <p role="status">{isCopied && 'コピーしました。'}</p>
      </div>
    </div>
  )
}

const subscribeToNothing = () => () => {}
const returnFalse = () => false
