import type { Card } from '../cards/card.ts'
import { pictureSources } from '../media/image.ts'

export type Slide = { id: string; src: string; text1: string; text2: string; alt: string; linkUrl: string }

const builtIn = (name: string, widest: number, text1: string, text2: string, alt: string): Slide => ({
  id: name,
  src: `/art/${name}-${widest}.jpg`,
  text1,
  text2,
  alt,
  linkUrl: '',
})

// Shown until the owner has put his own in every place.
const builtInStory = [
  builtIn('story-alley', 1920, 'たくさんの人の', '笑顔が見たくて', '提灯のともる夕暮れの路地'),
  builtIn('story-tokyo', 1920, '東京の三つ星の店で', '腕を磨いた日々', '夜景の見える東京の調理場'),
  builtIn('story-dashi', 1920, '目には見えない手間が', '味の奥行きになる', '夜明けの調理場で出汁をひく手'),
]
const builtInScenes = [
  builtIn('scene-noren', 800, '朝の店先', '', '朝の光を受けた店の暖簾'),
  builtIn('scene-counter', 800, 'カウンター', '', '檜のカウンターと棚の器'),
  builtIn('scene-garden', 800, '坪庭', '', '苔と石灯籠の坪庭'),
  builtIn('scene-kamado', 800, 'おくどさん', '', '薪の火にかけた土鍋'),
  builtIn('scene-window', 800, '丸窓の席', '', '丸窓の外の紅葉'),
  builtIn('scene-river', 800, '鴨川の夕暮れ', '', '夕暮れの鴨川と飛び石'),
]

/** The first three of the home collection tell the story, the next six are the scenes; built-in pictures fill the gaps. */
export function slidesOf(items: Card[]): { story: Slide[]; scenes: Slide[] } {
  const slides = items.filter(isShown).map(toSlide)
  return { story: filled(slides.slice(0, 3), builtInStory), scenes: filled(slides.slice(3, 9), builtInScenes) }
}

/** Whether it takes a place: a draft, even for those who see it, and one without a picture do not. */
export function isShown({ image, draft }: Card) {
  return pictureSources(image) !== null && !draft
}

function toSlide({ id, image, text1, text2, text3, linkUrl }: Card): Slide {
  return { id, src: image, text1, text2, alt: text3, linkUrl }
}

function filled(own: Slide[], builtIn: Slide[]) {
  return [...own, ...builtIn.slice(own.length)]
}
