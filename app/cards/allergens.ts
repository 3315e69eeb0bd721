import type { Card } from './card.ts'

/**
 * The allergens that packaged food must name in Japan (特定原材料), and the next one to be added. A new name needs a
 * migration that withdraws all confirmations: nobody has looked for that allergen.
 */
export const allergens = ['えび', 'かに', 'くるみ', '小麦', 'そば', '卵', '乳', '落花生', 'カシューナッツ'] as const

/** The sentence on a dish for guests: an allergen that is not listed is only absent if the list is confirmed. */
export function allergensInWords({ allergens: listed, allergensConfirmed }: Card) {
  const names = listed.replaceAll('、', '・')
  if (allergensConfirmed) return names ? `アレルギー: ${names}` : `${allergens.join('・')}は使っていません`
  return names ? `アレルギー: ${names}（ほかは店の者におたずねください）` : 'アレルギーは店の者におたずねください'
}
