import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { noon, sampleSite } from '../../server/testing.ts'
import { MailMessage } from '../contact/message.ts'
import { receiveMessage } from '../contact/messages.server.ts'

onEachEngine((fresh) => {
  const inbox = async ({ fails = false } = {}) => {
    const site = await sampleSite(await fresh(), { ownerEmail: 'owner@example.jp' }, { verifies: true })
    await site.people()
    if (fails) {
      site.mailer.send = async () => {
        throw new Error('450 not now')
      }
    }
    const written = {
      to: 'shop',
      subject: 'ご予約',
      text: '090-1234-5678 までお電話ください。<b>',
      from: 'hana@example.jp',
    }
    const arrival = { address: '10.0.0.1', key: '', spam: false, origin: 'http://localhost', now: noon }
    await receiveMessage(site.db, MailMessage.parse(written), arrival)
    const shown = async () => (await (await site.as('administrator', '/inbox')).text()).replaceAll('<!-- -->', '')
    const { id } = await site.db.selectFrom('messages').select('id').executeTakeFirstOrThrow()
    const reply = () =>
      site.post('administrator', '/inbox', { deed: 'reply', message: id, text: 'お待ちします。', once: '' })
    // The test site delivers with each request.
    await shown()
    return { ...site, shown, reply }
  }

  test('links the telephone number of a guest, and nothing else of the text', async () => {
    const { shown } = await inbox()
    expect(await shown()).toContain('<a href="tel:09012345678">090-1234-5678</a> までお電話ください。&lt;b&gt;</p>')
  })

  test('names the mail that has left and its readers', async () => {
    const { shown, reply } = await inbox()
    await reply()
    const page = await shown()
    expect(page).toContain('>お店への通知メール：送信済み<')
    expect(page).toContain('>hana@example.jp への返信：送信済み<')
    expect(page).not.toContain('>送信済み<')
  })

  test('names the mail that a button sends again', async () => {
    const { shown, reply } = await inbox({ fails: true })
    await reply()
    const page = await shown()
    expect(page).toContain('お店への通知メールをもう一度送る')
    expect(page).toContain('この返信をもう一度送る')
    expect(page).not.toContain('>もう一度送る<')
  })
})
