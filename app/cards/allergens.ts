import type { Card } from './card.ts'

/**
 * The allergens that Japanese law requires on labels of packaged food (特定原材料), and one allergen that will be required
 * soon. A new allergen needs a migration that withdraws all confirmations, because no dish has been checked for the new
 * allergen.
 */
export const allergens = ['えび', 'かに', 'くるみ', '小麦', 'そば', '卵', '乳', '落花生', 'カシューナッツ'] as const

/**
 * Returns a dish's allergen sentence. If the list is unconfirmed, the sentence refers guests to the staff for other
 * allergens.
 */
export function formatAllergens({ allergens: listed, allergensConfirmed }: Card) {
  const names = listed.replaceAll('、', '・')
  if (allergensConfirmed) return names ? `アレルギー：${names}` : `${allergens.join('・')}は使っていません`
  return names ? `アレルギー：${names}（ほかはスタッフにお尋ねください）` : 'アレルギーはスタッフにお尋ねください'
}
