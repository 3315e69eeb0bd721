import type { Card } from '../cards/card.ts'
import { pricesOf } from '../cards/price.ts'
import { groupBySection } from '../cards/sections-of-cards.ts'
import { timeInJapan } from '../dates/japan.ts'
import { languageCode, pathIn, t } from '../languages/language.ts'
import { imageSources } from '../media/image.ts'
import type { Section } from '../sections/section.ts'
import { isCardShown } from '../sections/shown.ts'
import type { RestaurantMetadata } from './restaurant.ts'

type Menu = { about: { title: string }; dishes: Card[]; sections: Section[]; asOf: number }

/**
 * Returns the restaurant with its range of prices, and its menu as https://schema.org/Menu as guests see the menu. Omits
 * a menu without sections, so that the page stays within its size budget.
 */
export function menuMetadata({ about, dishes, sections, asOf }: Menu, shop: RestaurantMetadata) {
  const shown = dishes.filter((dish) => isCardShown(dish, sections, timeInJapan(asOf)))
  const groups = groupBySection(sections, shown).filter(({ cards }) => cards.length > 0)
  const { origin } = new URL(shop.url)
  const itemsOf = (cards: Card[]) => ({ hasMenuItem: cards.map((card) => menuItem(card, origin)) })
  const menuSections = groups.flatMap(({ section, cards }) =>
    section ? [{ '@type': 'MenuSection', ...describe(section.name, section.introduction), ...itemsOf(cards) }] : [],
  )
  const menu = {
    '@context': 'https://schema.org',
    '@type': 'Menu',
    '@id': `${origin}${pathIn(languageCode(), '/dining')}`,
    name: about.title,
    inLanguage: languageCode(),
    ...groups.filter(({ section }) => !section).map(({ cards }) => itemsOf(cards))[0],
    hasMenuSection: menuSections,
  }
  return [{ ...priceRangeOf(shown), ...shop }, ...(menuSections.length > 0 ? [menu] : [])]
}

function menuItem({ title, content, image, price, marks }: Card, origin: string) {
  const offers = pricesOf(price).flatMap(({ label, yen }) =>
    yen === null ? [] : [{ '@type': 'Offer', ...(label && { name: t(label) }), price: yen, priceCurrency: 'JPY' }],
  )
  const diets = marks.split('、').flatMap((mark) => DIETS[mark] ?? [])
  return {
    '@type': 'MenuItem',
    ...describe(title, content),
    ...(imageSources(image) && { image: `${origin}${image}` }),
    ...(offers.length > 0 && { offers }),
    ...(diets.length > 0 && { suitableForDiet: [...new Set(diets)] }),
  }
}

const VEGETARIAN = 'https://schema.org/VegetarianDiet'
const DIETS: Record<string, string[]> = { 菜食: [VEGETARIAN], ヴィーガン: [VEGETARIAN, 'https://schema.org/VeganDiet'] }

function describe(name: string, description: string) {
  return { name, ...(description && { description }) }
}

function priceRangeOf(dishes: Card[]) {
  const yen = dishes.flatMap(({ price }) => pricesOf(price).flatMap((each) => each.yen ?? []))
  if (yen.length === 0) return {}
  const range = new Set([Math.min(...yen), Math.max(...yen)])
  return { priceRange: [...range].map((each) => `¥${each.toLocaleString('en')}`).join(t('〜')) }
}
