import { ChevronLeft, ChevronRight } from 'lucide'
import { Link } from 'react-router'
import 'swiper/css/scrollbar'
import { isJapanese, langOf, t } from '../languages/language.ts'
import { words } from '../languages/words.tsx'
import { ResponsiveImage } from '../media/responsive-image.tsx'
import { Icon } from '../ui/icon.tsx'
import { PauseButton } from '../ui/pause-button.tsx'
import { safeLink } from '../ui/safe-link.ts'
import styles from './scene-slider.module.css'
import type { Slide } from './slides.ts'
import { useSwiper } from './use-swiper.ts'

const GROUP_SIZE = 3

type Props = { scenes: Slide[]; heading: string }

export function SceneSlider({ scenes, heading }: Props) {
  return (
    <section
      className={styles.slider}
      {...(heading ? { 'aria-labelledby': 'scenes' } : { 'aria-label': t('店の写真') })}
      {...(scenes.length > GROUP_SIZE && { 'aria-roledescription': t('スライダー') })}
    >
      {heading && (
        <div className={styles.heading}>
          <h2 id="scenes">{words(heading)}</h2>
          {isJapanese() && <p lang="en">Scenes</p>}
        </div>
      )}
      {scenes.length > GROUP_SIZE ? <SceneGroups scenes={scenes} /> : <Group scenes={scenes} />}
    </section>
  )
}

function Group({ scenes }: { scenes: Slide[] }) {
  return (
    <div className={styles.group}>
      {scenes.map((scene) => (
        <Scene key={scene.id} scene={scene} />
      ))}
    </div>
  )
}

function SceneGroups({ scenes }: { scenes: Slide[] }) {
  const options = { speed: 2000, delay: 3000, scrollbar: '.swiper-scrollbar' }
  const { container, canRenderAll, activeIndex, isFading, isPlaying, toggle, show } = useSwiper(options)
  const endless = [...scenes, ...scenes]
  const moveBy = (step: number) => show((activeIndex + step + scenes.length) % scenes.length)
  return (
    <>
      <div ref={container} className={`swiper ${styles.swiper}`}>
        <div className="swiper-wrapper">
          {scenes.map((first, position) => (
            <div
              key={first.id}
              className="swiper-slide"
              role="group"
              aria-roledescription={t('スライド')}
              aria-label={t('{count}組中{position}組目', { count: scenes.length, position: position + 1 })}
              inert={position !== activeIndex || isFading}
            >
              <Group scenes={position === 0 || canRenderAll ? endless.slice(position, position + GROUP_SIZE) : []} />
            </div>
          ))}
        </div>
        <div className="swiper-scrollbar" />
      </div>
      <div className={styles.controls}>
        <button type="button" className={styles.arrow} aria-label={t('前の写真')} onClick={() => moveBy(-1)}>
          <Icon of={ChevronLeft} />
        </button>
        <div className={styles.middle}>
          <div className={styles.bullets}>
            {scenes.map((scene, position) => (
              <button
                key={scene.id}
                type="button"
                className={styles.bullet}
                aria-label={t('{position}組目の写真を見る', { position: position + 1 })}
                aria-current={position === activeIndex}
                onClick={() => show(position)}
              />
            ))}
          </div>
          <PauseButton playing={isPlaying} what={t('写真の列')} onToggle={toggle} className={styles.pause} />
        </div>
        <button type="button" className={styles.arrow} aria-label={t('次の写真')} onClick={() => moveBy(1)}>
          <Icon of={ChevronRight} />
        </button>
      </div>
    </>
  )
}

function Scene({ scene }: { scene: Slide }) {
  const link = safeLink(scene.linkUrl)
  return (
    <figure>
      <div className={styles.scene}>
        <ResponsiveImage url={scene.src} alt={scene.alt} sizes="(min-width: 1680px) 530px, 33vw" />
        {link && (
          <Link
            to={link.href}
            aria-label={scene.text1}
            lang={langOf(scene.text1)}
            {...(link.elsewhere && { target: '_blank', rel: 'noopener noreferrer' })}
          />
        )}
      </div>
      <figcaption className={styles.caption} data-mincho>
        {words(scene.text1)}
      </figcaption>
    </figure>
  )
}
