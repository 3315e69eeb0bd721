import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { ReadOnlyField } from '../ui/read-only-field.tsx'
import { useBrowserSupport } from '../ui/use-browser-support.ts'
import styles from './staff.module.css'

export type InvitationLinkProps = { url: string; qr: { size: number; path: string } }

export function InvitationLink({ url, qr }: InvitationLinkProps) {
  const canShare = useBrowserSupport('share')
  return (
    <div className={styles.link}>
      <svg viewBox={`0 0 ${qr.size} ${qr.size}`} role="img" aria-label="招待のQRコード" className={styles.qr}>
        <path d={qr.path} shapeRendering="crispEdges" />
      </svg>
      <div>
        <ReadOnlyField label="招待のリンク" value={url} />
        <div className={styles.deeds}>
          {canShare && (
            <Button primary onClick={() => void navigator.share({ url }).catch(() => {})}>
              送る
            </Button>
          )}
          <CopyButton text={url}>リンクをコピーする</CopyButton>
        </div>
      </div>
    </div>
  )
}
