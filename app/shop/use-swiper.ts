import { useEffect, useRef, useState } from 'react'
import type { Swiper } from 'swiper/types'
import { untilItComes } from '../ui/until-it-comes.ts'

type Options = { speed: number; delay: number; scrollbar?: string }

/**
 * Runs Swiper over server-rendered slides that fade into each other. Swiper loads after hydration; earlier calls set
 * its initial state. The other slides render once `hasFirst` is true, so that a phone loads the first slide first.
 * Times are in milliseconds; `scrollbar` is a selector.
 */
export function useSwiper(options: Options) {
  const box = useRef<HTMLDivElement>(null)
  const swiper = useRef<Swiper>(null)
  const firstOptions = useRef(options)
  const [hasFirst, setHasFirst] = useState(false)
  const [shown, setShown] = useState(0)
  const [fading, setFading] = useState(false)
  const [playing, setPlaying] = useState(true)
  const wanted = useRef({ shown, playing })
  wanted.current = { shown, playing }

  useEffect(() => {
    setHasFirst(true)
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches
    if (still) setPlaying(false)
    let left = false
    // Autoplay stops while the keyboard is in a slide, because an inert slide loses the focus.
    const followFocus = () => {
      const autoplay = swiper.current?.autoplay
      if (!autoplay || !wanted.current.playing) return
      if (hasKeyboard(box.current)) autoplay.stop()
      else if (!autoplay.running) autoplay.start()
    }
    const element = box.current
    element?.addEventListener('focusin', followFocus)
    element?.addEventListener('focusout', followFocus)
    untilItComes(() => import('./swiper.ts')).then(({ Swiper, Autoplay, EffectFade, Scrollbar }) => {
      if (left || !box.current) return
      const { speed, delay, scrollbar } = firstOptions.current
      swiper.current = new Swiper(box.current, {
        modules: [Autoplay, EffectFade, Scrollbar],
        effect: 'fade',
        fadeEffect: { crossFade: true },
        // The shortest possible fade, because autoplay waits for the end of a transition.
        speed: still ? 1 : speed,
        initialSlide: wanted.current.shown,
        autoplay: { delay, disableOnInteraction: false },
        ...(scrollbar && { scrollbar: { el: scrollbar, draggable: true, snapOnRelease: true, hide: false } }),
        // With fading, the step from the last slide to the first looks like any other, so looping needs no copies.
        rewind: true,
        on: {
          slideChange: ({ activeIndex }) => setShown(activeIndex),
          slideChangeTransitionStart: () => setFading(true),
          slideChangeTransitionEnd: () => setFading(false),
          touchEnd: waitAnew,
          scrollbarDragEnd: waitAnew,
        },
      })
      if (!wanted.current.playing || hasKeyboard(box.current)) swiper.current.autoplay.stop()
    })
    return () => {
      left = true
      element?.removeEventListener('focusin', followFocus)
      element?.removeEventListener('focusout', followFocus)
      swiper.current?.destroy()
    }
  }, [])

  const toggle = () => {
    if (playing) swiper.current?.autoplay.stop()
    else swiper.current?.autoplay.start()
    setPlaying(!playing)
  }
  const show = (index: number) => {
    if (swiper.current) swiper.current.slideTo(index)
    else setShown(index)
  }
  return { box, hasFirst, shown, fading, playing, toggle, show }
}

function hasKeyboard(box: HTMLElement | null) {
  return box?.querySelector('.swiper-slide :focus-visible') != null
}

// A touch that moves no slide starts no transition, and autoplay would wait for its end forever.
function waitAnew({ autoplay }: Swiper) {
  if (autoplay.running) autoplay.start()
}
