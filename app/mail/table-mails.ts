import { languageCode, t } from '../languages/language.ts'
import { mailBody } from './mail-body.ts'
import type { OutgoingMail } from './mailer.server.ts'

/** Day and time as the guest reads them, and the number of people. */
type TableFacts = { day: string; time: string; party: number }

export type GuestTableNotice = TableFacts & {
  to: string
  replyTo: string | null
  shop: string
  telephone: string
  /** Empty if nobody in the shop has read the request yet. */
  name: string
  /** The shop's text to the guest, or empty. */
  reply: string
  url: string
}

const guestTexts = {
  received: () => ({
    subject: t('お席のお申し込みを受け付けました'),
    sentence: t('お席のお申し込み、ありがとうございます。まだ確定ではありません。お店からのお返事で確定します。'),
  }),
  changed: () => ({
    subject: t('お申し込みの変更を受け付けました'),
    sentence: t('お申し込みの変更を受け付けました。まだ確定ではありません。お店からのお返事で確定します。'),
  }),
  accepted: () => ({ subject: t('お席をご用意します'), sentence: t('お席をご用意して、お越しをお待ちしております。') }),
  offered: () => ({
    subject: t('別のお時間のご案内'),
    sentence: t(
      '申し訳ございません。ご希望のお時間にはお席をご用意できませんが、次のお時間でしたらご案内できます。下のページから、ご都合をお知らせください。',
    ),
  }),
  declined: () => ({
    subject: t('お席をご用意できません'),
    sentence: t('申し訳ございません。ご希望のお席をご用意できません。またの機会をお待ちしております。'),
  }),
  cancelled: () => ({
    subject: t('お席のお申し込みを取り消しました'),
    sentence: t('お席のお申し込みを、お店で取り消しました。ご不明な点は、お店へお問い合わせください。'),
  }),
  withdrawn: () => ({
    subject: t('お席のお申し込みを取り消しました'),
    sentence: t('お席のお申し込みの取り消しを承りました。またのお越しをお待ちしております。'),
  }),
  moved: () => ({
    subject: t('お席の内容を変更しました'),
    sentence: t('お店で、お席の内容を次のとおり変更しました。'),
  }),
  undone: () => ({
    subject: t('先ほどのお返事を取り消しました'),
    sentence: t('先ほどのお返事を取り消しました。まだ確定ではありません。あらためてお返事しますので、お待ちください。'),
  }),
  unanswered: () => ({
    subject: t('お席のお申し込みへのお返事について'),
    sentence: t(
      'お返事が遅れており、申し訳ございません。お席はまだ確定していません。お手数ですが、お電話でお問い合わせください。',
    ),
  }),
} satisfies Record<string, () => { subject: string; sentence: string }>
export type GuestTableMail = keyof typeof guestTexts

/** Returns the e-mail to the guest, in the current language. */
export function guestTableMail(kind: GuestTableMail, notice: GuestTableNotice): OutgoingMail {
  const { to, replyTo, shop, telephone, name, reply, url, day, time, party } = notice
  const { subject, sentence } = guestTexts[kind]()
  const facts = [t('日時：{day} {time}', { day, time }), t('人数：{party}名', { party })].join('\n')
  const [salutation = '', ...paragraphs] = [name && t('{name} 様', { name }), sentence, reply, facts].filter(Boolean)
  const body = mailBody({
    salutation,
    paragraphs,
    link: { label: t('お席のお申し込みの内容を開く'), url },
    signature: [shop, ...(telephone ? [t('電話：{telephone}', { telephone })] : [])].join('\n'),
    language: languageCode(),
  })
  return { to, replyTo, subject: `【${shop}】${subject}`, ...body }
}

const shopTexts = {
  asked: {
    title: 'お席のお申し込みが届きました',
    sentence: 'お席のお申し込みが届きました。お返事をお願いいたします。',
  },
  changed: {
    title: 'お席のお申し込みが変更されました',
    sentence: 'お客さまがお申し込みを変更しました。お返事をお願いいたします。',
  },
  accepted: { title: 'ご案内した時間で承諾されました', sentence: 'お客さまが、ご案内した時間を承諾しました。' },
  cancelled: { title: 'お席が取り消されました', sentence: 'お客さまがお席を取り消しました。' },
  unanswered: {
    title: 'お席のお申し込みにお返事がまだです',
    sentence: 'お客さまがお返事をお待ちです。お返事がないままですと、お客さまにお電話をお願いすることになります。',
  },
} as const
export type ShopTableNotice = keyof typeof shopTexts

/** Returns the title for the shop, without data of the guest. */
export function shopTableTitle(kind: ShopTableNotice) {
  return shopTexts[kind].title
}

export function formatTableFacts({ day, time, party }: TableFacts) {
  return `${day} ${time} ${party}名`
}

/** Returns the e-mail to the shop. `lines` are the name, the contact data and the wish. */
export function shopTableMail(
  kind: ShopTableNotice,
  { shop, url, replyTo, lines, ...facts }: TableFacts & { shop: string; url: string; replyTo: string; lines: string[] },
) {
  const { title, sentence } = shopTexts[kind]
  const body = mailBody({
    salutation: `${shop}のお席`,
    paragraphs: [sentence, [formatTableFacts(facts), ...lines].join('\n')],
    link: { label: 'お席の一覧を開く', url },
    signature: shop,
  })
  const subject = `【${shop}】${title}（${formatTableFacts(facts)}）`
  return { to: { recipient: 'shop' as const }, replyTo: replyTo || null, subject, ...body }
}
