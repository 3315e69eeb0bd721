import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { sampleSite } from '../../server/testing.ts'
import { demoAccounts } from '../../server/tools/demo.ts'

const { administrator } = demoAccounts

onEachEngine((fresh) => {
  test.each([
    ['an unverified address', true, false, true],
    ['a verified address', true, true, false],
    ['no mail server', false, false, false],
  ])(
    'lists the verification of the e-mail address only when it is open (%s)',
    async (_, verifies, emailVerified, isListed) => {
      const { accounts, as, people } = await sampleSite(await fresh(), {}, { verifies })
      await people()
      accounts.set(administrator.accountId, { ...administrator, emailVerified })
      const html = await (await as('administrator', '/today')).text()
      expect(html).toContain('残っている準備')
      expect(/href="\/account"[^>]*>メールアドレスを確認する</.test(html)).toBe(isListed)
    },
  )
})
