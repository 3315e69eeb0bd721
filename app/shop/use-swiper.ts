import { useEffect, useRef, useState } from 'react'
import type { Swiper } from 'swiper/types'
import { untilItComes } from '../ui/until-it-comes.ts'

type Options = { speed: number; delay: number; scrollbar?: string }

/**
 * A Swiper over server-rendered slides, which fade: which one is shown, whether it moves by itself, and how to tell it
 * otherwise. It comes when the page can be used already; what it is told before then it begins with. The other slides are
 * drawn once the page `hasFirst`: a phone need not wait for them. Times are in milliseconds, `scrollbar` is a selector.
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
    // The slide that the keyboard is in would become inert, and the focus would be lost.
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
        // The shortest fade there is: autoplay waits for the end of one.
        speed: still ? 1 : speed,
        initialSlide: wanted.current.shown,
        autoplay: { delay, disableOnInteraction: false },
        ...(scrollbar && { scrollbar: { el: scrollbar, draggable: true, snapOnRelease: true, hide: false } }),
        // In a fade the last picture gives way to the first as to any other: no copies of slides are needed to loop.
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

// A touch that moves no slide starts no fade, and Swiper would wait for its end for ever.
function waitAnew({ autoplay }: Swiper) {
  if (autoplay.running) autoplay.start()
}
