import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { sampleSite } from '../../server/testing.ts'
import { demoAccounts } from '../../server/tools/demo.ts'

const message = { to: 'shop', subject: '席のご相談', text: '五名で', from: 'hana@example.jp' }
const { administrator } = demoAccounts

onEachEngine((fresh) => {
  test.each([
    [administrator.email, 'verified', true],
    [null, 'not verified', false],
  ] as const)(
    "sends a reply with the reply-to address %s when its author's address is %s",
    async (email, _, verified) => {
      const { accounts, as, db, mails, people, post } = await sampleSite(await fresh(), {}, { verifies: true })
      await people()
      await post('guest', '/mail', { ...message, homepage: '', shownAt: '0' })
      const { id } = await db.selectFrom('messages').select('id').executeTakeFirstOrThrow()
      accounts.set(administrator.accountId, { ...administrator, emailVerified: verified })
      const inbox = (await (await as('administrator', '/inbox')).text()).replaceAll('<!-- -->', '')
      expect(inbox.includes(`返信は ${administrator.email} に届きます。`)).toBe(verified)
      const reply = { deed: 'reply', message: id, text: 'お待ちしております。', once: 'a' }
      expect((await post('administrator', '/inbox', reply)).status).toBe(200)
      expect(mails.at(-1)).toMatchObject({ to: message.from, subject: 'Re: 席のご相談', replyTo: email })
    },
  )
})
