import 'swiper/css'
import 'swiper/css/effect-fade'
import { type ReactNode, useEffect, useRef } from 'react'
import { Link } from 'react-router'
import { t } from '../languages/language.ts'
import { words } from '../languages/words.tsx'
import { imageSources } from '../media/image.ts'
import { ResponsiveImage } from '../media/responsive-image.tsx'
import { Letters } from '../ui/letters.tsx'
import { PauseButton } from '../ui/pause-button.tsx'
import { safeLink } from '../ui/safe-link.ts'
import type { Slide } from './slides.ts'
import styles from './story-slideshow.module.css'
import { useSwiper } from './use-swiper.ts'

type Props = { slides: Slide[]; name: string; children?: ReactNode }

export function StorySlideshow({ slides, name, children }: Props) {
  if (slides.length > 0) return <Slideshow slides={slides}>{children}</Slideshow>
  return (
    <section className={`${styles.slideshow} ${styles.quiet}`}>
      <h1 className={styles.name}>{words(name)}</h1>
      <Board>{children}</Board>
    </section>
  )
}

function PortraitSources({ url }: { url: string }) {
  const sources = imageSources(url)
  if (!sources) return null
  return (['avif', 'webp', 'jpg'] as const).map((format) => (
    <source
      key={format}
      media="(orientation: portrait)"
      type={`image/${format === 'jpg' ? 'jpeg' : format}`}
      srcSet={sources[format]}
      sizes="max(100vw, 57svh)"
    />
  ))
}

function Slideshow({ slides, children }: Omit<Props, 'name'>) {
  const { container, canRenderAll, activeIndex, isPlaying, toggle, show } = useSwiper({ speed: 2500, delay: 4500 })
  return (
    <section className={styles.slideshow} aria-roledescription={t('スライドショー')} aria-label={t('店の物語')}>
      <div ref={container} className={`swiper ${styles.swiper}`}>
        <div className="swiper-wrapper">
          {slides.map((slide, index) => (
            <div
              key={slide.id}
              className={`swiper-slide ${styles.slide}`}
              role="group"
              aria-roledescription={t('スライド')}
              aria-label={t('{count}枚中{position}枚目', { count: slides.length, position: index + 1 })}
              inert={index !== activeIndex}
            >
              <div className={styles.shade}>
                {(index === 0 || canRenderAll) && (
                  <ResponsiveImage
                    url={slide.src}
                    alt={slide.alt}
                    sizes="(max-width: 649px) 80svh, max(100vw, 178svh)"
                    eager={index === 0}
                  >
                    <PortraitSources url={slide.portrait} />
                  </ResponsiveImage>
                )}
              </div>
              <StoryLines slide={slide} isWaiting={index !== activeIndex} />
            </div>
          ))}
        </div>
      </div>
      <Board>{children}</Board>
      {slides.length > 1 && (
        <div className={styles.controls}>
          <PauseButton playing={isPlaying} what={t('スライドショー')} onToggle={toggle} />
          <div className={styles.bullets}>
            {slides.map((slide, index) => (
              <button
                key={slide.id}
                type="button"
                className={styles.bullet}
                aria-label={t('{position}枚目を見る', { position: index + 1 })}
                aria-current={index === activeIndex}
                onClick={() => show(index)}
              />
            ))}
          </div>
        </div>
      )}
    </section>
  )
}

// Publishes the height of the board as `--board`, because the text lines end above the board.
function Board({ children }: { children: ReactNode }) {
  const board = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = board.current
    if (!element) return
    const observer = new ResizeObserver(() =>
      element.parentElement?.style.setProperty('--board', `${element.offsetHeight}px`),
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return (
    <div ref={board} className={styles.board}>
      {children}
    </div>
  )
}

function StoryLines({ slide, isWaiting }: { slide: Slide; isWaiting: boolean }) {
  const lines = (
    <>
      <p>
        <Letters text={slide.text1} waiting={isWaiting} />
      </p>
      {slide.text2 && (
        <p>
          <Letters text={slide.text2} waiting={isWaiting} />
        </p>
      )}
    </>
  )
  const link = safeLink(slide.linkUrl)
  return (
    <div className={styles.story} data-mincho>
      {link ? (
        <Link
          to={link.href}
          className={styles.link}
          {...(link.elsewhere && { target: '_blank', rel: 'noopener noreferrer' })}
        >
          {lines}
        </Link>
      ) : (
        lines
      )}
    </div>
  )
}
