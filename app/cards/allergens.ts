import { t } from '../languages/language.ts'
import type { Card } from './card.ts'
import { formatList } from './marks.ts'

/**
 * The allergens that Japanese law requires on labels of packaged food (特定原材料), and one allergen that will be required
 * soon. A new allergen needs a migration that withdraws all confirmations, because no dish has been checked for the new
 * allergen.
 */
export const allergens = ['えび', 'かに', 'くるみ', '小麦', 'そば', '卵', '乳', '落花生', 'カシューナッツ'] as const

/** Returns the allergen sentence. If the list is unconfirmed, it refers guests to the staff for other allergens. */
export function formatAllergens({ allergens: listed, allergensConfirmed }: Card) {
  const names = formatList(listed)
  if (!allergensConfirmed)
    return names
      ? t('アレルギー：{names}（ほかはスタッフにお尋ねください）', { names })
      : t('アレルギーはスタッフにお尋ねください')
  if (allergens.some((name) => listed.split('、').includes(name))) return t('アレルギー：{names}', { names })
  const text = names ? '{absent}は使っていません（{names}は使っています）' : '{absent}は使っていません'
  return t(text, { names, absent: formatList(allergens.join('、')) })
}
