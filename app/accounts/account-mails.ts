import { letter } from '../mail/letter.ts'
import type { Message } from '../mail/mailer.server.ts'

type Recipient = { to: string; name: string; shop: string }

const notYou = 'お心当たりのない場合は、何もなさらずにこのメールを破棄してください。'

/** Asks whether this mailbox is the account's: opening the link and pressing its button says yes. */
export function verificationMail({ to, name, shop }: Recipient, url: string): Message {
  return {
    to,
    subject: `【${shop}】メールアドレスの確認をお願いします`,
    ...letter({
      salutation: `${name} 様`,
      paragraphs: [
        '次のリンクを24時間以内に開き、「このアドレスを確認する」を押してください。',
        `${notYou}ボタンを押さないかぎり、登録は完了しません。`,
      ],
      link: { label: 'メールアドレスを確認する', url },
      signature: shop,
    }),
  }
}

/** Leads to where a new password is chosen. */
export function resetMail({ to, name, shop }: Recipient, url: string): Message {
  return {
    to,
    subject: `【${shop}】パスワードの再設定`,
    ...letter({
      salutation: `${name} 様`,
      paragraphs: ['次のリンクを1時間以内に開き、新しいパスワードを決めてください。', notYou],
      link: { label: '新しいパスワードを決める', url },
      signature: shop,
    }),
  }
}

/** Tells the owner of an address that somebody tried to sign up with it once more. */
export function alreadySignedUpMail({ to, name, shop }: Recipient, origin: string): Message {
  return {
    to,
    subject: `【${shop}】このアドレスは登録済みです`,
    ...letter({
      salutation: `${name} 様`,
      paragraphs: [
        'このメールアドレスで新規登録のお申し込みがありましたが、すでに登録されています。ログインしてご利用ください。',
        'パスワードをお忘れのときは、ログインの画面から再設定できます。',
        notYou,
      ],
      link: { label: 'ログインする', url: `${origin}/emaillogin` },
      signature: shop,
    }),
  }
}

/** Tells a person that their account now opens by Google as well. */
export function googleAddedMail({ to, name, shop }: Recipient, origin: string): Message {
  return {
    to,
    subject: `【${shop}】Googleアカウントでのログインを追加しました`,
    ...letter({
      salutation: `${name} 様`,
      paragraphs: [
        '同じメールアドレスのGoogleアカウントでログインされたため、これからはどちらの方法でもログインできます。',
        'お心当たりのない場合は、アカウントの画面でパスワードを変更し、管理者にお知らせください。',
      ],
      link: { label: 'アカウントの画面を開く', url: `${origin}/account` },
      signature: shop,
    }),
  }
}
