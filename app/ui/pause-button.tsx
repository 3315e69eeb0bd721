import { Pause, Play } from 'lucide'
import { t } from '../languages/language.ts'
import { Icon } from './icon.tsx'
import styles from './pause-button.module.css'

type Props = { playing: boolean; what: string; onToggle: () => void; className?: string | undefined }

export function PauseButton({ playing, what, onToggle, className = '' }: Props) {
  const label = t(playing ? '{what}を止める' : '{what}を動かす', { what: t(what) })
  return (
    <button type="button" className={`${styles.button} ${className}`} aria-label={label} onClick={onToggle}>
      {playing ? <Icon of={Pause} size={18} /> : <Icon of={Play} size={18} />}
    </button>
  )
}
