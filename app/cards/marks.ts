import { t } from '../languages/language.ts'

/** The marks of a dish, in the order of their display. A dish has at most one of `spiciness`. */
export const spiciness = ['辛さ1', '辛さ2', '辛さ3'] as const
export const marks = [
  ...spiciness,
  ...(['菜食', 'ヴィーガン', '魚のだし', 'アルコール', '数量限定', '季節限定'] as const),
] as const

/** Formats stored marks or allergens like `卵・乳`, in other languages like `Egg, Milk`. */
export function formatList(stored: string) {
  return stored
    .split('、')
    .map((name) => t(name))
    .join(t('・'))
}
