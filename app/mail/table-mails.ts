import { languageCode, t } from '../languages/language.ts'
import { mailBody, shopMail } from './mail-body.ts'

// The first sentence is the subject.
const guestTexts = {
  received: () => t('お席のお申し込みを受け付けました。まだ確定ではありません。お店からのお返事で確定します。'),
  changed: () => t('お申し込みの変更を受け付けました。まだ確定ではありません。お店からのお返事で確定します。'),
  accepted: () => t('お席をご用意します。お越しをお待ちしております。'),
  offered: () =>
    t(
      '別のお時間をご案内します。ご希望のお時間にお席がなく、申し訳ございません。ご都合を下のページからお知らせください。',
    ),
  declined: () => t('申し訳ございませんが、お席をご用意できません。またの機会をお待ちしております。'),
  cancelled: () => t('お席のお申し込みを取り消しました。ご不明な点は、お店へお問い合わせください。'),
  moved: () => t('お席の内容を、お店で変更しました。変更後の内容は次のとおりです。'),
  undone: () => t('先ほどのお返事を取り消しました。まだ確定ではありません。あらためてお返事いたします。'),
  unanswered: () =>
    t('お返事が遅れており、申し訳ございません。まだ確定ではありません。お手数ですが、お電話でお問い合わせください。'),
}
export type GuestTableMail = keyof typeof guestTexts

const shopTexts = {
  received: 'お席のお申し込みが届きました。お返事をお願いいたします。',
  changed: 'お席のお申し込みが変更されました。お返事をお願いいたします。',
  accepted: 'ご案内した時間が承諾されました。',
  cancelled: 'お客さまがお席を取り消しました。',
  unanswered:
    'お席のお申し込みにお返事がまだです。お返事がないままですと、お客さまにお電話をお願いすることになります。',
}
export type ShopTableMail = keyof typeof shopTexts

/** Returns the title of an e-mail or notification to the shop, without data of the guest. */
export function shopTableTitle(kind: ShopTableMail) {
  return firstSentence(shopTexts[kind])
}

function firstSentence(text: string) {
  return text.split(/。|\. /)[0] ?? ''
}

/** Formatted day and time, and the number of people. */
type TableFacts = { day: string; time: string; party: number }
type Parts = { shop: string; url: string; facts: TableFacts }

/** Returns the e-mail to the guest, in the current language. `name` and `reply` may be empty. */
export function guestTableMail(
  kind: GuestTableMail,
  { shop, url, facts, telephone, name, reply }: Parts & Record<'telephone' | 'name' | 'reply', string>,
) {
  const text = guestTexts[kind]()
  const lines = `${t('日時：{day} {time}', facts)}\n${t('人数：{party}名', facts)}`
  const [salutation = '', ...paragraphs] = [name && t('{name} 様', { name }), text, reply, lines].filter(Boolean)
  const link = { label: t('お席のお申し込みの内容を開く'), url }
  const signature = telephone ? `${shop}\n${t('電話：{telephone}', { telephone })}` : shop
  const body = mailBody({ salutation, paragraphs, link, signature, language: languageCode() })
  return { subject: `【${shop}】${firstSentence(text)}`, ...body }
}

/** Returns the e-mail to the shop. `lines` are the name, the contact data and the wish. */
export function shopTableMail(kind: ShopTableMail, { shop, url, facts, lines }: Parts & { lines: string[] }) {
  const paragraphs = [shopTexts[kind], [formatTableFacts(facts), ...lines].join('\n')]
  const link = { label: 'お席の一覧を開く', url }
  const subject = `${shopTableTitle(kind)}（${formatTableFacts(facts)}）`
  return shopMail(shop, { subject, salutation: `${shop}のお席`, paragraphs, link })
}

export function formatTableFacts({ day, time, party }: TableFacts) {
  return `${day} ${time} ${party}名`
}
