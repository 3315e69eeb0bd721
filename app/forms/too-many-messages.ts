import { t } from '../languages/language.ts'

/** Returns the error message for visitors above the rate limit. `telephone` is the number of the shop, or ''. */
export function tooManyMessages(telephone: string) {
  const call = telephone
    ? 'お急ぎのときは、お電話（{telephone}）でお願いいたします。'
    : 'お急ぎのときは、店舗案内の連絡先へお願いいたします。'
  const wait = t('続けてお送りいただける件数を超えました。1時間ほどおいてから、もう一度お試しください。')
  return `${wait}${t(call, { telephone })}`
}
