import { expect, test } from 'vitest'
import { readSettings } from '../../server/settings.ts'
import { EmailForm } from '../accounts/account-forms.ts'
import { MailMessage } from '../contact/message.ts'
import { validateStep } from '../members/member-schema.ts'
import { SiteSettings } from '../settings/site.ts'
import { nestSiteFields, siteForm, siteFormValues } from '../settings/site-form.ts'

const memberStep = { username: '花', accountname: '花', address: '京都', telNum: '075', profile: '花です' }
const validators: Record<string, (email: string) => boolean> = {
  'an account': (email) => EmailForm.safeParse({ email }).success,
  'a member': (email) => validateStep(1, { ...memberStep, email }) === null,
  'a contact message': (from) => MailMessage.safeParse({ to: 'shop', subject: 'あ', text: 'あ', from }).success,
  'the shop': (shop) => {
    const values = { ...siteFormValues('mail', SiteSettings.parse({})), 'recipients.shop': shop }
    return siteForm('mail').safeParse(nestSiteFields(values)).success
  },
  OWNER_EMAIL: (OWNER_EMAIL) => areValidSettings({ OWNER_EMAIL }),
  MAIL_FROM: (MAIL_FROM) => areValidSettings({ MAIL_FROM }),
}

function areValidSettings(environment: Record<string, string>) {
  try {
    readSettings(environment)
    return true
  } catch {
    return false
  }
}

function longAddress(length: number) {
  const address = `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.jp`
  return address.replace('.jp', `.${'d'.repeat(length - address.length - 1)}.jp`)
}

test.each([
  ['hana@example.jp', true],
  ['hana.sakurai+tennis@mail.example.co.jp', true],
  ['..hana..@docomo.example', true],
  ["o'hana@example.jp", true],
  ['a@b.c', false],
  ['hana@localhost', false],
  ['hana@example', false],
  ['hana@[127.0.0.1]', false],
  ['"hana"@example.jp', false],
  ['花@example.jp', false],
  ['hana@例え.jp', false],
  ['hana@-example.jp', false],
  ['hana@example.jp,ken@example.jp', false],
  [`${'a'.repeat(65)}@example.jp`, false],
  [longAddress(254), true],
  [longAddress(255), false],
])('validates %s in the same way in every form and setting (valid: %s)', (email, isValid) => {
  const verdicts = Object.fromEntries(Object.keys(validators).map((name) => [name, validators[name]?.(email)]))
  expect(verdicts).toEqual(Object.fromEntries(Object.keys(validators).map((name) => [name, isValid])))
})
