import { expect, test } from 'vitest'
import * as mails from './account-mails.ts'

const origin = 'https://shop.example'
const mailed = `${origin}/mailed`
const email = 'hana@example.jp'

test.each<[subject: string, write: () => mails.MailContent, url?: string]>([
  ['メールアドレスの確認をお願いします', () => mails.verificationMail(mailed), mailed],
  ['新しいメールアドレスの確認をお願いします', () => mails.emailChangeMail(mailed), mailed],
  ['パスワードの再設定', () => mails.resetMail(mailed), mailed],
  ['このアドレスは登録済みです', () => mails.alreadySignedUpMail(origin), `${origin}/emaillogin`],
  ['このアドレスは登録済みです', () => mails.emailInUseMail],
  ['このアドレスはまだお使いいただけません', () => mails.emailReservedMail],
  ['メールアドレスの変更のお申し込みがありました', () => mails.emailChangeRequestedMail(email, mailed), mailed],
  ['メールアドレスが変わりました', () => mails.emailChangedMail(email, mailed), mailed],
  ['メールアドレスが変わりました', () => mails.emailChangedMail(email, null)],
  ['メールアドレスが元に戻されました', () => mails.emailChangeUndoneMail],
  ['パスワードが変わりました', () => mails.passwordChangedMail(origin), `${origin}/resetpassword`],
  ['パスキーを追加しました', () => mails.passkeyAddedMail(origin), `${origin}/account`],
  ['パスキーを削除しました', () => mails.passkeyRemovedMail(origin), `${origin}/account`],
  ['Googleアカウントでのログインを追加しました', () => mails.googleAddedMail(origin), `${origin}/account`],
])('says in the mail %s what to do if it is unexpected, with the right link or none', (subject, write, url) => {
  const mail = write()
  expect(mail.subject).toBe(subject)
  expect(mail.paragraphs.length).toBeGreaterThan(1)
  for (const paragraph of mail.paragraphs) expect(paragraph).toMatch(/..。$/)
  expect(mail.paragraphs.join('')).toContain('お心当たりのない')
  expect(mail.link?.url).toBe(url)
  if (mail.link) expect(mail.link.label).toMatch(/する$|開く$/)
})
