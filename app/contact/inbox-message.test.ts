import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { noon, sampleSite } from '../../server/testing.ts'
import { MailMessage } from './message.ts'
import { receiveMessage } from './messages.server.ts'

onEachEngine((fresh) => {
  const createInbox = async ({ fails = false } = {}) => {
    const site = await sampleSite(await fresh(), { ownerEmail: 'owner@example.jp' }, { verifies: true })
    await site.people()
    if (fails) {
      site.mailer.send = async () => {
        throw new Error('450 not now')
      }
    }
    const message = {
      to: 'shop',
      subject: 'ご予約',
      text: '090-1234-5678 までお電話ください。<b>',
      from: 'hana@example.jp',
    }
    const arrival = { address: '10.0.0.1', spam: false, origin: 'http://localhost', now: noon }
    await receiveMessage(site.db, MailMessage.parse(message), arrival)
    const readInbox = async () => (await (await site.as('administrator', '/inbox')).text()).replaceAll('<!-- -->', '')
    const { id } = await site.db.selectFrom('messages').select('id').executeTakeFirstOrThrow()
    const reply = () =>
      site.post('administrator', '/inbox', { deed: 'reply', message: id, text: 'お待ちします。', once: '' })
    // The test site delivers the due e-mails after each request.
    await readInbox()
    return { ...site, readInbox, reply }
  }

  test('links only the telephone numbers in the text of a message', async () => {
    const { readInbox } = await createInbox()
    expect(await readInbox()).toContain('<a href="tel:09012345678">090-1234-5678</a> までお電話ください。&lt;b&gt;</p>')
  })

  test('shows the e-mail and its recipient in each delivery state', async () => {
    const { readInbox, reply } = await createInbox()
    await reply()
    const page = await readInbox()
    expect(page).toContain('>お店への通知メール：送信済み<')
    expect(page).toContain('>hana@example.jp への返信：送信済み<')
    expect(page).not.toContain('>送信済み<')
  })

  test('names the failed e-mail on its resend button', async () => {
    const { readInbox, reply } = await createInbox({ fails: true })
    await reply()
    const page = await readInbox()
    expect(page).toContain('お店への通知メールをもう一度送る')
    expect(page).toContain('この返信をもう一度送る')
    expect(page).not.toContain('>もう一度送る<')
  })
})
