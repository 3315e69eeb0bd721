import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createMailer, fileMailer } from './mailer.server.ts'

describe('fileMailer', () => {
  test('writes each e-mail to an .eml file without verifying e-mail addresses', async () => {
    const folder = join(mkdtempSync(join(tmpdir(), 'noren-mails-')), 'mails')
    const mailer = fileMailer(folder, 'noreply@example.jp')
    await mailer.send({ to: 'hana@example.jp', subject: '確認', text: '本文です', html: '<p>本文です</p>' })
    const [file = ''] = readdirSync(folder)
    const mail = readFileSync(join(folder, file), 'utf8')
    expect(file).toMatch(/\.eml$/)
    expect(mail).toMatch(/^From: noreply@example.jp\r?\nTo: hana@example.jp/m)
    expect(mail).toContain(`=?UTF-8?B?${Buffer.from('確認').toString('base64')}?=`)
    expect(mailer.verifies).toBe(false)
  })
})

describe('createMailer', () => {
  test('can verify e-mail addresses only when a mail server is configured', () => {
    const settings = { mailFrom: undefined, publicOrigin: undefined, dataFolder: tmpdir() }
    expect(createMailer({ ...settings, smtpUrl: undefined }).verifies).toBe(false)
    expect(createMailer({ ...settings, smtpUrl: 'smtp://127.0.0.1:1' }).verifies).toBe(true)
  })
})

test.each([
  'hana@example.jp, other@example.jp',
  'hana@example.jp;other@example.jp',
  'hana@example.jp other@example.jp',
  'hana@example.jp\r\nBcc: other@example.jp',
  '花 <hana@example.jp>',
  'friends: hana@example.jp, other@example.jp;',
  '',
])('sends no mail when the recipient or the reply-to address is %j', async (address) => {
  const folder = join(mkdtempSync(join(tmpdir(), 'noren-mails-')), 'mails')
  const mailer = fileMailer(folder, 'noreply@example.jp')
  const mail = { to: 'hana@example.jp', subject: '確認', text: '本文です', html: '<p>本文です</p>' }
  await expect(mailer.send({ ...mail, to: address })).rejects.toThrow('E-mail address rejected')
  // An empty reply-to address means that there is none.
  if (address) await expect(mailer.send({ ...mail, replyTo: address })).rejects.toThrow('E-mail address rejected')
  expect(existsSync(folder)).toBe(false)
})
