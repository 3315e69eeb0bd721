import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { Swiper, SwiperOptions } from 'swiper/types'
import { retryLoad } from '../ui/retry-load.ts'

type Options = { speed: number; delay: number; scrollbar?: string }

/**
 * Runs Swiper over server-rendered slides that fade into each other. Swiper loads after hydration; earlier calls set
 * its initial state. Render the other slides once `hasFirst` is true, so that a phone loads the first slide first.
 * Times are in milliseconds; `scrollbar` is a selector.
 */
export function useSwiper(options: Options) {
  const box = useRef<HTMLDivElement>(null)
  const swiper = useRef<Swiper>(null)
  const [hasFirst, setHasFirst] = useState(false)
  const [shown, setShown] = useState(0)
  const [fading, setFading] = useState(false)
  const [playing, setPlaying] = useState(true)

  // Autoplay stops while a slide has the keyboard focus, because an inert slide would lose the focus.
  const followFocus = useEffectEvent(() => {
    const autoplay = swiper.current?.autoplay
    if (!autoplay || !playing) return
    if (hasKeyboard(box.current)) autoplay.stop()
    else if (!autoplay.running) autoplay.start()
  })
  const start = useEffectEvent((loaded: Loaded) => {
    if (!box.current) return
    swiper.current = new loaded.Swiper(box.current, {
      ...fadeOptions(loaded, options),
      initialSlide: shown,
      on: {
        slideChange: ({ activeIndex }) => setShown(activeIndex),
        slideChangeTransitionStart: () => setFading(true),
        slideChangeTransitionEnd: () => setFading(false),
        touchEnd: waitAnew,
        scrollbarDragEnd: waitAnew,
      },
    })
    if (!playing || hasKeyboard(box.current)) swiper.current.autoplay.stop()
  })

  useEffect(() => {
    setHasFirst(true)
    if (isStill()) setPlaying(false)
    let left = false
    const element = box.current
    element?.addEventListener('focusin', followFocus)
    element?.addEventListener('focusout', followFocus)
    retryLoad(() => import('./swiper.ts')).then((loaded) => {
      if (!left) start(loaded)
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

type Loaded = typeof import('./swiper.ts')

function fadeOptions({ Autoplay, EffectFade, Scrollbar }: Loaded, { speed, delay, scrollbar }: Options): SwiperOptions {
  return {
    modules: [Autoplay, EffectFade, Scrollbar],
    effect: 'fade',
    fadeEffect: { crossFade: true },
    // The shortest possible fade, because autoplay waits for the end of a transition.
    speed: isStill() ? 1 : speed,
    autoplay: { delay, disableOnInteraction: false },
    ...(scrollbar && { scrollbar: { el: scrollbar, draggable: true, snapOnRelease: true, hide: false } }),
    // With fading, the step from the last slide to the first looks like any other, so looping needs no copies.
    rewind: true,
  }
}

function isStill() {
  return matchMedia('(prefers-reduced-motion: reduce)').matches
}

function hasKeyboard(box: HTMLElement | null) {
  return box?.querySelector('.swiper-slide :focus-visible') != null
}

// A touch that moves no slide starts no transition, so autoplay would wait forever for the end of a transition.
function waitAnew({ autoplay }: Swiper) {
  if (autoplay.running) autoplay.start()
}
