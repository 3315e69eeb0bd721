import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { Swiper, SwiperOptions } from 'swiper/types'
import { retryLoad } from '../ui/retry-load.ts'

type Options = { speed: number; delay: number; scrollbar?: string }

/** Runs Swiper after hydration. Calls before hydration set the initial state. Times are in milliseconds. */
export function useSwiper(options: Options) {
  const container = useRef<HTMLDivElement>(null)
  const [swiper, setSwiper] = useState<Swiper>()
  // False until the first slide has loaded, so that a phone loads the first slide before the other slides.
  const [canRenderAll, setCanRenderAll] = useState(false)
  const [activeIndex, setActiveIndex] = useState(0)
  const [isFading, setIsFading] = useState(false)
  const [isPlaying, setIsPlaying] = useState(true)
  // Autoplay stops while a slide has the keyboard focus, because an inert slide would lose the focus.
  const [hasFocus, setHasFocus] = useState(false)

  const start = useEffectEvent((loaded: Loaded) => {
    if (!container.current) return
    const newSwiper = new loaded.Swiper(container.current, {
      ...fadeOptions(loaded, options),
      initialSlide: activeIndex,
      on: {
        slideChange: ({ activeIndex }) => setActiveIndex(activeIndex),
        slideChangeTransitionStart: () => setIsFading(true),
        slideChangeTransitionEnd: () => setIsFading(false),
        touchEnd: restartAutoplay,
        scrollbarDragEnd: restartAutoplay,
      },
    })
    setSwiper(newSwiper)
    return newSwiper
  })

  useEffect(() => {
    setCanRenderAll(true)
    if (prefersReducedMotion()) setIsPlaying(false)
    const element = container.current
    const followFocus = () => setHasFocus(hasKeyboardFocus(element))
    followFocus()
    element?.addEventListener('focusin', followFocus)
    element?.addEventListener('focusout', followFocus)
    let isUnmounted = false
    let newSwiper: Swiper | undefined
    retryLoad(() => import('./swiper.ts')).then((loaded) => {
      if (!isUnmounted) newSwiper = start(loaded)
    })
    return () => {
      isUnmounted = true
      element?.removeEventListener('focusin', followFocus)
      element?.removeEventListener('focusout', followFocus)
      newSwiper?.destroy()
    }
  }, [])

  useEffect(() => {
    if (isPlaying && !hasFocus) swiper?.autoplay.start()
    else swiper?.autoplay.stop()
  }, [swiper, isPlaying, hasFocus])

  const toggle = () => setIsPlaying(!isPlaying)
  const show = (index: number) => {
    if (swiper) swiper.slideTo(index)
    else setActiveIndex(index)
  }
  return { container, canRenderAll, activeIndex, isFading, isPlaying, toggle, show }
}

type Loaded = typeof import('./swiper.ts')

function fadeOptions({ Autoplay, EffectFade, Scrollbar }: Loaded, { speed, delay, scrollbar }: Options): SwiperOptions {
  return {
    modules: [Autoplay, EffectFade, Scrollbar],
    effect: 'fade',
    fadeEffect: { crossFade: true },
    // The fade lasts at least 1 ms, because autoplay waits for the end of a transition.
    speed: prefersReducedMotion() ? 1 : speed,
    autoplay: { delay, disableOnInteraction: false },
    ...(scrollbar && { scrollbar: { el: scrollbar, draggable: true, snapOnRelease: true, hide: false } }),
    // All steps of fading slides look alike, so the step from the last slide to the first needs no copies.
    rewind: true,
  }
}

function prefersReducedMotion() {
  return matchMedia('(prefers-reduced-motion: reduce)').matches
}

function hasKeyboardFocus(container: HTMLElement | null) {
  return container?.querySelector('.swiper-slide :focus-visible') != null
}

// A touch that moves no slide starts no transition, so autoplay would wait forever for the end of a transition.
function restartAutoplay({ autoplay }: Swiper) {
  if (autoplay.running) autoplay.start()
}
