import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { Swiper, SwiperOptions } from 'swiper/types'
import { retryLoad } from '../ui/retry-load.ts'

type Options = { speed: number; delay: number; scrollbar?: string }

/** Runs Swiper after hydration. Calls before hydration set the initial state. Times are in milliseconds. */
export function useSwiper(options: Options) {
  const container = useRef<HTMLDivElement>(null)
  const swiper = useRef<Swiper>(null)
  // False until the first slide has loaded, so that a phone loads the first slide before the other slides.
  const [canRenderAll, setCanRenderAll] = useState(false)
  const [activeIndex, setActiveIndex] = useState(0)
  const [isFading, setIsFading] = useState(false)
  const [isPlaying, setIsPlaying] = useState(true)

  // Autoplay stops while a slide has the keyboard focus, because an inert slide would lose the focus.
  const followFocus = useEffectEvent(() => {
    const autoplay = swiper.current?.autoplay
    if (!autoplay || !isPlaying) return
    if (hasKeyboardFocus(container.current)) autoplay.stop()
    else if (!autoplay.running) autoplay.start()
  })
  const start = useEffectEvent((loaded: Loaded) => {
    if (!container.current) return
    swiper.current = new loaded.Swiper(container.current, {
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
    if (!isPlaying || hasKeyboardFocus(container.current)) swiper.current.autoplay.stop()
  })

  useEffect(() => {
    setCanRenderAll(true)
    if (prefersReducedMotion()) setIsPlaying(false)
    let isUnmounted = false
    const element = container.current
    element?.addEventListener('focusin', followFocus)
    element?.addEventListener('focusout', followFocus)
    retryLoad(() => import('./swiper.ts')).then((loaded) => {
      if (!isUnmounted) start(loaded)
    })
    return () => {
      isUnmounted = true
      element?.removeEventListener('focusin', followFocus)
      element?.removeEventListener('focusout', followFocus)
      swiper.current?.destroy()
    }
  }, [])

  useEffect(() => {
    if (isPlaying) swiper.current?.autoplay.start()
    else swiper.current?.autoplay.stop()
  }, [isPlaying])

  const toggle = () => setIsPlaying(!isPlaying)
  const show = (index: number) => {
    if (swiper.current) swiper.current.slideTo(index)
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
