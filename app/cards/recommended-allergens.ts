const RECOMMENDED =
  'アーモンド、あわび、いか、いくら、オレンジ、キウイフルーツ、牛肉、ごま、さけ、さば、大豆、鶏肉、バナナ、ピスタチオ、豚肉、マカダミアナッツ、もも、やまいも、りんご、ゼラチン'

/** Ingredients that the law recommends to label (推奨表示). No confirmation covers them, and guests do not load them. */
export const recommendedAllergens = RECOMMENDED.split('、')
