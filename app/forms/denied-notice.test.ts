import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { sampleSite } from '../../server/testing.ts'
import { actionDataOf } from '../../server/testing-action-data.ts'

const members = 'この操作はスタッフと承認されたメンバーだけが行えます。'
const administrators = 'この操作は管理者だけが行えます。'
const sentences = {
  guest: [`${members}ログインしてください`, `${administrators}ログインしてください`],
  signedIn: [`${members}メンバー情報を登録して、承認をお待ちください。`, administrators],
  applicant: [`${members}承認をお待ちください。`, administrators],
  approved: [null, administrators],
} as const

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  onSqlite.each(Object.entries(sentences))('shows %s only the next step to the permission', async (name, expected) => {
    const person = name as keyof typeof sentences
    const { as, post, people, showEditButtons } = await sampleSite(await fresh())
    await people()
    await showEditButtons()
    const [onlyMembers, onlyAdministrators] = expected
    const postJson = (path: string) =>
      as(person, path, {
        method: 'POST',
        headers: { origin: 'http://localhost', 'content-type': 'application/json' },
        body: '{}',
      })
    for (const [sentence, pages, forms, collections] of [
      [
        onlyMembers,
        ['/bussinessdays', '/today', '/calendar?day=2026-11-26', '/firestoreservice?databasename=dining'],
        ['/calendar', '/bussinessdays', '/firestoreservice?databasename=dining'],
        ['events', 'dining', 'bussinessDaysSpecial'],
      ],
      [onlyAdministrators, ['/site', '/firestoreservice?databasename=home'], ['/site'], ['home', 'vbacreate']],
    ] as const) {
      if (sentence === null) continue
      for (const path of pages) {
        const html = (await (await as(person, path)).text()).replace(/<\/?span[^>]*>/g, '')
        const expectedHtml =
          person === 'guest' ? sentence.replace('ログイン', '<a href="/login" data-discover="true">$&') : sentence
        expect(html, path).toContain(`${expectedHtml}</`)
        if (person !== 'guest') expect(html, path).not.toContain('ログインしてください')
      }
      for (const path of forms) {
        const html = await (await post(person, path, { intent: 'add', title: '題' })).text()
        expect(html.includes(sentence), path).toBe(true)
        if (person !== 'guest') expect(html, path).not.toContain('ログインしてください')
      }
      for (const name of collections)
        expect(await (await postJson(`/api/collections/${name}`)).json()).toEqual({ error: sentence })
    }
  })

  test('shows the next step to the permission when an RSVP is denied', async () => {
    const { post, people } = await sampleSite(await fresh())
    await people()
    const refusal = '出欠の回答は、承認されたメンバーだけが行えます。'
    for (const [person, sentence] of [
      ['guest', `${refusal}ログインしてください。`],
      ['signedIn', `${refusal}メンバー情報を登録して、承認をお待ちください。`],
      ['applicant', `${refusal}承認をお待ちください。`],
    ] as const) {
      const rsvp = { event: 'any', answer: 'yes' }
      expect(await (await post(person, '/memberlist', rsvp)).text()).toContain(sentence)
      const response = await post(person, '/memberlist.data', rsvp)
      expect(await actionDataOf(response)).toMatchObject({ trouble: sentence, signIn: person === 'guest' })
    }
  })
})
