import { useEffect, useRef, useState } from 'react'
import { PauseButton } from '../ui/pause-button.tsx'
import styles from './film.module.css'
import { Picture } from './image-element.tsx'

type Props = {
  name: string
  what: string
  alt: string
  className: string | undefined
  /** Class of the pause button, which is rendered beside the film because overlays may cover the film. */
  pauseClassName?: string | undefined
  eager?: boolean | undefined
}

/**
 * A silent, looping film over its poster. The film loads near the viewport, or only on a button press if the visitor
 * prefers reduced motion or saves data.
 */
export function Film({ name, what, alt, className, pauseClassName, eager }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const video = useRef<HTMLVideoElement>(null)
  const [wanted, setWanted] = useState(false)
  const [playing, setPlaying] = useState(false)

  useEffect(() => {
    if (!box.current || prefersStillness()) return
    const watcher = new IntersectionObserver(
      ([entry]) => {
        if (!entry?.isIntersecting) return
        setWanted(true)
        watcher.disconnect()
      },
      { rootMargin: '200px' },
    )
    watcher.observe(box.current)
    return () => watcher.disconnect()
  }, [])

  useEffect(() => {
    if (!video.current) return
    // Phones may refuse autoplay on low battery; the poster and the button remain.
    if (wanted) video.current.play().catch(() => setWanted(false))
    else video.current.pause()
  }, [wanted])

  return (
    <>
      <div ref={box} className={`${styles.film} ${className}`}>
        <Picture url={`/art/film-${name}-poster-1280.jpg`} alt={alt} sizes="100vw" eager={eager ?? false} />
        <video
          ref={video}
          muted
          loop
          playsInline
          preload="none"
          aria-hidden="true"
          tabIndex={-1}
          onPlaying={() => setPlaying(true)}
          onPause={() => setPlaying(false)}
          hidden={!wanted && !playing}
        >
          <source src={`/art/film-${name}.webm`} type="video/webm" />
          <source src={`/art/film-${name}.mp4`} type="video/mp4" />
        </video>
      </div>
      <PauseButton playing={wanted} what={what} onToggle={() => setWanted(!wanted)} className={pauseClassName} />
    </>
  )
}

function prefersStillness() {
  const connection = (navigator as { connection?: { saveData?: boolean } }).connection
  return connection?.saveData === true || matchMedia('(prefers-reduced-motion: reduce)').matches
}
