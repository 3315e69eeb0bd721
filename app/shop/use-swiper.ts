import { useEffect, useRef, useState } from 'react'
import Swiper from 'swiper'
import type { SwiperOptions } from 'swiper/types'

/** A Swiper over server-rendered slides: which one is shown, whether it moves by itself, and how to tell it otherwise. */
export function useSwiper(options: SwiperOptions) {
  const box = useRef<HTMLDivElement>(null)
  const swiper = useRef<Swiper>(null)
  const firstOptions = useRef(options)
  const [shown, setShown] = useState(0)
  const [fading, setFading] = useState(false)
  const [playing, setPlaying] = useState(true)

  useEffect(() => {
    if (!box.current) return
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches
    const made = new Swiper(box.current, {
      ...firstOptions.current,
      // In a fade the last picture gives way to the first as to any other: no copies of slides are needed to loop.
      rewind: true,
      // The shortest fade there is: autoplay waits for the end of one.
      ...(still && { speed: 1 }),
      on: {
        slideChange: ({ activeIndex }) => setShown(activeIndex),
        slideChangeTransitionStart: () => setFading(true),
        slideChangeTransitionEnd: () => setFading(false),
        touchEnd: waitAnew,
        scrollbarDragEnd: waitAnew,
      },
    })
    swiper.current = made
    if (still) {
      made.autoplay.stop()
      setPlaying(false)
    }
    return () => void made.destroy()
  }, [])

  const toggle = () => {
    if (playing) swiper.current?.autoplay.stop()
    else swiper.current?.autoplay.start()
    setPlaying(!playing)
  }

  return { box, shown, fading, playing, toggle, show: (index: number) => swiper.current?.slideTo(index) }
}

// A touch that moves no slide starts no fade, and Swiper would wait for its end for ever.
function waitAnew({ autoplay }: Swiper) {
  if (autoplay.running) autoplay.start()
}
