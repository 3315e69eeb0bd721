import { foldWidth } from './typed-text.ts'

// Pairs of a variant and the usual character. Writers use ヵ and ヶ in either size.
const pairs =
  '髙高﨑崎嵜崎碕崎濵浜濱浜邊辺邉辺齋斎齊斎斉斎德徳廣広澤沢櫻桜國国眞真瀨瀬惠恵嶋島嶌島𠮷吉栁柳冨富渕淵曾曽萬万龍竜學学壽寿榮栄藪薮檜桧靜静條条關関鷗鴎ヵカヶケ〜~'
const standardForms = new Map(
  Array.from(pairs.matchAll(/(.)(.)/gu), ([, variant = '', kanji = '']) => [variant, kanji]),
)
const VARIANT = new RegExp(`[${[...standardForms.keys()].join('')}]`, 'gu')

export function comparable(text: string) {
  return foldWidth(text)
    .toLowerCase()
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/[ぁ-ゖゝゞ]/g, (kana) => String.fromCharCode(kana.charCodeAt(0) + 0x60))
    .replace(VARIANT, (variant) => standardForms.get(variant) ?? variant)
}
