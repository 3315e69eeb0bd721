import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { noon, sampleSite } from '../../server/testing.ts'
import { demoAccounts, openAccounts } from '../../server/tools/demo.ts'

const HOUR = 60 * 60_000
const message = { to: 'shop', subject: '席のご相談', text: '五名で', from: 'hana@example.jp' }
const [first, second] = [demoAccounts.administrator.email, demoAccounts.approved.email]

onEachEngine((fresh) => {
  /** Sends a message to a shop with two administrators and no address in its settings. */
  const site = async () => {
    const made = await sampleSite(await fresh(), {}, { verifies: true })
    await made.people()
    await openAccounts(made.db, 'miso-soup-12', noon)
    await made.db.updateTable('accounts').set({ emailVerified: true }).execute()
    const { accountId } = demoAccounts.approved
    await made.db.updateTable('members').set({ administrator: true }).where('accountId', '=', accountId).execute()
    const { send, sent } = made.mailer
    const attempts: string[] = []
    /** Rejects mails to the address, until `reject` is called with another. */
    const reject = (email: string | null) => {
      made.mailer.send = async (mail) => {
        attempts.push(mail.to)
        if (mail.to === email) throw new Error('450 not now')
        await send(mail)
      }
    }
    const write = () =>
      made.app.request('http://localhost/api/mail', {
        method: 'POST',
        headers: { origin: 'http://localhost', 'content-type': 'application/json' },
        body: JSON.stringify(message),
      })
    /** Lets an hour pass, after which each waiting mail is due. */
    const retry = async () => {
      made.clock.now += HOUR
      await made.get('/api/health')
    }
    return { ...made, attempts, reject, write, retry, recipients: () => sent.map(({ to }) => to) }
  }

  test.each([first, second])('mails every administrator once when attempts to %s fail', async (email) => {
    const { attempts, reject, write, retry, recipients } = await site()
    reject(email)
    expect((await write()).status).toBe(200)
    for (let time = 0; time < 3; time += 1) await retry()
    expect(attempts.filter((to) => to === email)).toHaveLength(4)
    expect(recipients()).toEqual([email === first ? second : first])
    reject(null)
    for (let time = 0; time < 3; time += 1) await retry()
    expect(recipients().sort()).toEqual([first, second].sort())
  })

  test('mails no administrator twice when the owner retries a mail by hand', async () => {
    const { db, post, reject, write, retry, recipients } = await site()
    reject(first)
    await write()
    const { id } = await db.selectFrom('outbox').select('id').where('trouble', 'is not', null).executeTakeFirstOrThrow()
    for (let time = 0; time < 2; time += 1) await post('administrator', '/inbox', { deed: 'resend', mail: id })
    reject(null)
    await post('administrator', '/inbox', { deed: 'resend', mail: id })
    await post('administrator', '/inbox', { deed: 'resend', mail: id })
    await retry()
    expect(recipients().sort()).toEqual([first, second].sort())
  })
})
