export type MailContent = { subject: string; paragraphs: string[]; link?: { label: string; url: string } }

const IGNORE_IF_UNEXPECTED = 'お心当たりのない場合は、何もなさらずにこのメールを破棄してください。'

export const verificationMail = (url: string): MailContent => ({
  subject: 'メールアドレスの確認をお願いします',
  paragraphs: [
    '次のリンクを24時間以内に開き、「このアドレスを確認する」を押してください。',
    `${IGNORE_IF_UNEXPECTED}ボタンを押さないかぎり、登録は完了しません。`,
  ],
  link: { label: 'メールアドレスを確認する', url },
})

export const emailChangeMail = (url: string): MailContent => ({
  subject: '新しいメールアドレスの確認をお願いします',
  paragraphs: [
    'アカウントのメールアドレスをこのアドレスに変更するお申し込みがありました。次のリンクを24時間以内に開き、「このアドレスに変更する」を押してください。',
    `${IGNORE_IF_UNEXPECTED}ボタンを押さないかぎり、メールアドレスは変わりません。`,
  ],
  link: { label: 'メールアドレスを変更する', url },
})

export const resetMail = (url: string): MailContent => ({
  subject: 'パスワードの再設定',
  paragraphs: ['次のリンクを1時間以内に開き、新しいパスワードを設定してください。', IGNORE_IF_UNEXPECTED],
  link: { label: '新しいパスワードを設定する', url },
})

export const alreadySignedUpMail = (origin: string): MailContent => ({
  subject: 'このアドレスは登録済みです',
  paragraphs: [
    'このメールアドレスで新規登録のお申し込みがありましたが、すでに登録されています。ログインしてご利用ください。',
    'パスワードをお忘れのときは、ログインの画面から再設定できます。',
    IGNORE_IF_UNEXPECTED,
  ],
  link: { label: 'ログインする', url: `${origin}/emaillogin` },
})

export const emailInUseMail: MailContent = {
  subject: 'このアドレスは登録済みです',
  paragraphs: [
    'ほかのアカウントのメールアドレスをこのアドレスに変更するお申し込みがありましたが、すでに登録されているため、変更されません。',
    `お使いのアカウントに変更はありません。${IGNORE_IF_UNEXPECTED}`,
  ],
}

export const emailReservedMail: MailContent = {
  subject: 'このアドレスはまだお使いいただけません',
  paragraphs: [
    'このメールアドレスのお申し込みがありましたが、数日前まで別のアカウントで使われていました。元に戻せるよう、変更から7日のあいだ保留しています。',
    'お心当たりのない変更だったときは、先にお送りしたメールのリンクから元に戻せます。7日を過ぎると、新しくお申し込みいただけます。',
  ],
}

export const emailChangeRequestedMail = (email: string, undoUrl: string | null): MailContent => ({
  subject: 'メールアドレスの変更のお申し込みがありました',
  ...changeNotice(
    `アカウントのメールアドレスを ${email} に変更するお申し込みがありました。新しいアドレスで確認されると、変わります。`,
    undoUrl,
  ),
})

export const emailChangedMail = (email: string, undoUrl: string | null): MailContent => ({
  subject: 'メールアドレスが変わりました',
  ...changeNotice(`アカウントのメールアドレスが ${email} に変わりました。`, undoUrl),
})

function changeNotice(sentence: string, undoUrl: string | null) {
  const reassurance = 'ご本人によるものでしたら、何もなさらなくて大丈夫です。'
  if (!undoUrl) return { paragraphs: [sentence, reassurance, 'お心当たりのない場合は、お店へご連絡ください。'] }
  const warning =
    'お心当たりのない場合は、どなたかがパスワードを知っているおそれがあります。7日以内に次のリンクを開き、元に戻してください。'
  return {
    paragraphs: [sentence, reassurance, warning],
    link: { label: '元に戻して、新しいパスワードを設定する', url: undoUrl },
  }
}

export const emailChangeUndoneMail: MailContent = {
  subject: 'メールアドレスが元に戻されました',
  paragraphs: [
    'アカウントのメールアドレスが、前のアドレスにお送りしたリンクから元に戻されました。このアドレスではログインできません。',
    'お心当たりのない場合は、お店へご連絡ください。',
  ],
}

export const passwordChangedMail = (origin: string): MailContent => ({
  subject: 'パスワードが変わりました',
  paragraphs: [
    'アカウントのパスワードが変わり、ほかの端末はログアウトしました。ご本人の変更でしたら、何もなさらなくて大丈夫です。',
    'お心当たりのない場合は、すぐに次のリンクからパスワードを再設定してください。',
  ],
  link: { label: 'パスワードを再設定する', url: `${origin}/resetpassword` },
})

export const passkeyAddedMail = (origin: string): MailContent => ({
  subject: 'パスキーを追加しました',
  paragraphs: [
    'アカウントにパスキーが追加されたため、これからはパスキーでもログインできます。ご本人によるものでしたら、何もなさらなくて大丈夫です。',
    'お心当たりのない場合は、すぐにアカウントの画面でパスキーを削除し、パスワードを変更して、管理者にお知らせください。',
  ],
  link: { label: 'アカウントの画面を開く', url: `${origin}/account` },
})

export const passkeyRemovedMail = (origin: string): MailContent => ({
  subject: 'パスキーを削除しました',
  paragraphs: [
    'アカウントのパスキーが削除されたため、そのパスキーではログインできません。ご本人によるものでしたら、何もなさらなくて大丈夫です。',
    'お心当たりのない場合は、アカウントの画面でパスワードを変更し、管理者にお知らせください。',
  ],
  link: { label: 'アカウントの画面を開く', url: `${origin}/account` },
})

export const googleAddedMail = (origin: string): MailContent => ({
  subject: 'Googleアカウントでのログインを追加しました',
  paragraphs: [
    '同じメールアドレスのGoogleアカウントでログインされたため、これからはどちらの方法でもログインできます。',
    'お心当たりのない場合は、アカウントの画面でパスワードを変更し、管理者にお知らせください。',
  ],
  link: { label: 'アカウントの画面を開く', url: `${origin}/account` },
})
