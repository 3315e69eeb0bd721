import type { Card } from '../cards/card.ts'
import { pictureSources } from '../media/image.ts'

export type Slide = {
  id: string
  src: string
  portrait: string
  text1: string
  text2: string
  alt: string
  linkUrl: string
}

/** The first three of the home collection tell the story, the next six are the scenes; there may be fewer, or none. */
export function slidesOf(items: Card[]): { story: Slide[]; scenes: Slide[] } {
  const slides = items.filter(isShown).map(toSlide)
  return { story: slides.slice(0, 3), scenes: slides.slice(3, 9) }
}

/** Whether it takes a place: a draft, even for those who see it, and one without a picture do not. */
export function isShown({ image, draft }: Card) {
  return pictureSources(image) !== null && !draft
}

function toSlide({ id, image, portraitImage, text1, text2, text3, linkUrl }: Card): Slide {
  return { id, src: image, portrait: portraitImage, text1, text2, alt: text3, linkUrl }
}
