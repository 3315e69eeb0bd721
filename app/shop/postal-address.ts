const PREFECTURES =
  '青森|岩手|宮城|秋田|山形|福島|茨城|栃木|群馬|埼玉|千葉|神奈川|新潟|富山|石川|福井|山梨|長野|岐阜|静岡|愛知|三重|滋賀|兵庫|' +
  '奈良|和歌山|鳥取|島根|岡山|広島|山口|徳島|香川|愛媛|高知|福岡|佐賀|長崎|熊本|大分|宮崎|鹿児島|沖縄'
const CITIES_WITH_WARDS =
  '札幌|仙台|さいたま|千葉|横浜|川崎|相模原|新潟|静岡|浜松|名古屋|京都|大阪|堺|神戸|岡山|広島|北九州|福岡|熊本'

/** Splits a Japanese address for https://schema.org/PostalAddress into prefecture, municipality and the rest. */
export function postalAddress(address: string) {
  const prefecture = new RegExp(`^(?:北海道|東京都|(?:京都|大阪)府|(?:${PREFECTURES})県)`).exec(address)?.[0] ?? ''
  const local = address.slice(prefecture.length).trim()
  // A city named after a prefecture lies in that prefecture.
  const [, city = ''] = new RegExp(`^(京都|大阪|${PREFECTURES})市`).exec(local) ?? []
  const region = prefecture || (city && `${city}${/京都|大阪/.test(city) ? '府' : '県'}`)
  // 市, 町 and 村 also occur inside names: 四日市市, 玉村町, 東村山市, 郡山市.
  const locality = new RegExp(
    `^(?:(?:${CITIES_WITH_WARDS})市\\s*[^\\s\\d]{1,5}?区|[^\\s\\d]{1,4}郡(?!市|山市)\\s*[^\\s\\d]{1,6}?[町村](?!町)|[^\\s\\d区]{1,6}?市(?!市)|[^\\s\\d]{1,4}?[区町村])`,
  ).exec(local)?.[0]
  return {
    addressCountry: 'JP',
    ...(region && { addressRegion: region }),
    ...(locality && { addressLocality: locality.replace(/\s/g, '') }),
    streetAddress: local.slice(locality?.length ?? 0).trim() || undefined,
  }
}
