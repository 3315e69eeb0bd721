import type { Card } from '../cards/card.ts'
import { imageSources } from '../media/image.ts'

export type Slide = ReturnType<typeof toSlide>

export function slidesOf(items: Card[]) {
  const slides = items.filter(isShown).map(toSlide)
  return { story: slides.slice(0, 3), scenes: slides.slice(3, 9) }
}

export function isShown({ image, draft }: Card) {
  return imageSources(image) !== null && !draft
}

function toSlide({ id, image, portraitImage, text1, text2, text3, linkUrl }: Card) {
  return { id, src: image, portrait: portraitImage, text1, text2, alt: text3, linkUrl }
}
