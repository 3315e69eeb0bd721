import { Play } from 'lucide'
import { useState } from 'react'
import { langOf, languageCode, t } from '../languages/language.ts'
import { Icon } from '../ui/icon.tsx'
import { parseUrl } from '../ui/safe-link.ts'
import { ResponsiveImage } from './responsive-image.tsx'
import { videoIdOf } from './video.ts'
import styles from './youtube.module.css'

type Props = {
  url: string
  title: string
  sizes: string
  /** Position among the cards. Selects the placeholder drawing, so that adjacent cards have different drawings. */
  place: number
}

const PLAY = '再生する（YouTubeにつながります）'

/** YouTube player that contacts YouTube only after a tap. Renders a plain link for any other web URL. */
export function YouTube({ url, title, sizes, place }: Props) {
  const [started, setStarted] = useState(false)
  const id = videoIdOf(url)
  if (!id) return <UnknownVideo url={url} />
  return (
    <div className={styles.player}>
      {started ? (
        <iframe
          src={`https://www.youtube-nocookie.com/embed/${id}?autoplay=1&rel=0`}
          title={title}
          lang={langOf(title)}
          allow="autoplay; encrypted-media; picture-in-picture; fullscreen"
          allowFullScreen
        />
      ) : (
        <button
          type="button"
          className={styles.facade}
          aria-label={`${title} ${t(PLAY)}`}
          lang={langOf(title)}
          onClick={() => setStarted(true)}
        >
          <ResponsiveImage url={`/art/video-facade-${(place % 4) + 1}-800.jpg`} alt="" sizes={sizes} />
          <span className={styles.play}>
            <Icon of={Play} />
          </span>
          <span className={styles.caption} lang={langOf(title) && languageCode()}>
            {t(PLAY)}
          </span>
        </button>
      )}
    </div>
  )
}

function UnknownVideo({ url }: { url: string }) {
  const parsed = parseUrl(url)
  if (!parsed || !['http:', 'https:'].includes(parsed.protocol)) return null
  return (
    <a href={parsed.href} target="_blank" rel="noopener noreferrer">
      {t('動画を新しいタブで見る')}
    </a>
  )
}
