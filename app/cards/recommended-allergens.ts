const RECOMMENDED =
  'アーモンド、あわび、いか、いくら、オレンジ、キウイフルーツ、牛肉、ごま、さけ、さば、大豆、鶏肉、バナナ、ピスタチオ、豚肉、マカダミアナッツ、もも、やまいも、りんご、ゼラチン'

/**
 * The ingredients that the law recommends to label (推奨表示). A confirmation does not cover them. The pages of guests do
 * not load this list.
 */
export const recommendedAllergens = RECOMMENDED.split('、')
