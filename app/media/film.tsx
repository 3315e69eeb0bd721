import { useEffect, useRef, useState } from 'react'
import { PauseButton } from '../ui/pause-button.tsx'
import styles from './film.module.css'
import { ResponsiveImage } from './responsive-image.tsx'

type Props = {
  name: string
  what: string
  alt: string
  className: string | undefined
  /** Class of the pause button. The button is rendered beside the film, because overlays may cover the film. */
  pauseClassName?: string | undefined
  eager?: boolean | undefined
}

/** Film that loads near the viewport, or on a press if the visitor prefers reduced motion or less data. */
export function Film({ name, what, alt, className, pauseClassName, eager }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const video = useRef<HTMLVideoElement>(null)
  const [shouldPlay, setShouldPlay] = useState(false)

  useEffect(() => {
    if (!box.current || prefersReducedMotion()) return
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (!entry?.isIntersecting) return
        setShouldPlay(true)
        observer.disconnect()
      },
      { rootMargin: '200px' },
    )
    observer.observe(box.current)
    return () => observer.disconnect()
  }, [])

  useEffect(() => {
    if (!video.current) return
    // Phones may block autoplay when the battery is low. The poster and the button remain visible.
    if (shouldPlay) video.current.play().catch(() => setShouldPlay(false))
    else video.current.pause()
  }, [shouldPlay])

  return (
    <>
      <div ref={box} className={`${styles.film} ${className}`}>
        <ResponsiveImage url={`/art/film-${name}-poster-1280.jpg`} alt={alt} sizes="100vw" eager={eager ?? false} />
        <video ref={video} muted loop playsInline preload="none" aria-hidden="true" tabIndex={-1} hidden={!shouldPlay}>
          <source src={`/art/film-${name}.webm`} type="video/webm" />
          <source src={`/art/film-${name}.mp4`} type="video/mp4" />
        </video>
      </div>
      <PauseButton
        playing={shouldPlay}
        what={what}
        onToggle={() => setShouldPlay(!shouldPlay)}
        className={pauseClassName}
      />
    </>
  )
}

function prefersReducedMotion() {
  const connection = (navigator as { connection?: { saveData?: boolean } }).connection
  return connection?.saveData === true || matchMedia('(prefers-reduced-motion: reduce)').matches
}
