import { expect, test } from 'vitest'
import { onEachEngine } from '../db/testing.ts'
import { browserOf, sampleSite } from './testing.ts'
import { findLink, hana, signInBrowser } from './testing-account.ts'
import { sendForm, unticked } from './testing-forms.ts'
import { createInvitation, createKey, openShop } from './testing-shop.ts'

type Request = (path: string, init?: RequestInit) => Promise<Response>
type Fields = Record<string, string>
type FormCase = {
  path: string
  button: string
  /** Invalid values and the error that the form then shows. */
  invalid?: [Fields, RegExp | string]
  valid?: Fields
  /** The path after a redirect, or the text of the only notice. */
  result: { location: RegExp } | { notice: RegExp }
}

const getNotices = (html: string, kind: string) =>
  [...html.replaceAll('<!-- -->', '').matchAll(/data-notice="(\w+)"[^>]*>(.*?)<\/div>/gs)]
    .filter(([, each]) => each === kind)
    .map(([, , content = '']) => content.replace(/<[^>]*>/g, ''))

/** Sends a form as a browser without scripts: with invalid values, then from the response with valid values. */
async function expectResult(request: Request, { path, button, invalid, valid = {}, result }: FormCase) {
  let html = await (await request(path)).text()
  if (invalid) {
    const [values, error] = invalid
    const rejected = await sendForm(request, { html, path }, values, button)
    html = await rejected.text()
    expect([rejected.status, html], path).toEqual([400, expect.stringMatching(error)])
    expect(getNotices(html, 'done'), path).toEqual([])
  }
  const response = await sendForm(request, { html, path }, valid, button)
  const location = response.headers.get('location') ?? ''
  if ('location' in result) {
    expect(location, path).toMatch(result.location)
    expect(getNotices(await (await request(location)).text(), 'trouble'), path).toEqual([])
  } else {
    const answer = location ? await (await request(location)).text() : await response.text()
    expect(getNotices(answer, 'trouble'), path).toEqual([])
    expect(getNotices(answer, 'done'), path).toEqual([expect.stringMatching(result.notice)])
  }
}

const newPassword = 'another-one-42'
const signOutElsewhere = 'ほかの端末をすべてログアウトさせる'

onEachEngine((fresh) => {
  test('shows guests the errors and the result of each form', async () => {
    const site = await sampleSite(await fresh(), {}, { verifies: true })
    const { send } = browserOf(site)
    await expectResult(send, {
      path: '/signupform',
      button: '登録する',
      invalid: [{ name: '' }, 'お名前を入力してください'],
      valid: hana,
      result: { notice: /にメールをお送りします/ },
    })
    await expectResult(send, {
      path: findLink(site.mails.at(-1)),
      button: 'このアドレスを確認する',
      result: { notice: /を確認しました。/ },
    })
    await expectResult(send, {
      path: '/resetpassword',
      button: '再設定のメールを送る',
      invalid: [{ email: '' }, 'メールアドレスを入力してください'],
      valid: { email: hana.email },
      result: { notice: /再設定のメールをお送りします。/ },
    })
    await expectResult(send, {
      path: findLink(site.mails.at(-1)),
      button: 'このパスワードにする',
      invalid: [{ password: '' }, 'パスワード'],
      valid: { password: newPassword },
      result: { location: /^\/emaillogin\?newpassword/ },
    })
    await expectResult(send, {
      path: '/emaillogin',
      button: 'ログインする',
      invalid: [{ email: '' }, 'メールアドレスを入力してください'],
      valid: { email: hana.email, password: newPassword },
      result: { location: /^\/login\/welcome$/ },
    })
    await expectResult(browserOf(site).send, {
      path: '/mail',
      button: '送信する',
      invalid: [{ to: '' }, '宛先を選んでください'],
      valid: { to: 'shop', subject: '席のご相談', text: '五名で伺えますか。', shownAt: '0' },
      result: { notice: /送信しました/ },
    })
  })

  test('registers the first administrator and accepts an invitation', async () => {
    const site = await sampleSite(await fresh())
    const key = await createKey(site)
    await expectResult(browserOf(site).send, {
      path: `/welcome?key=${key}`,
      button: '次へ',
      invalid: [{ name: '' }, 'お名前を入力してください'],
      valid: { ...hana, email: 'first@example.jp' },
      result: { location: /^\/welcome\/shop$/ },
    })
    const shop = await sampleSite(await fresh())
    const invitation = await createInvitation(await openShop(shop))
    await expectResult((await signInBrowser(shop, hana)).send, {
      path: `/invitation?key=${invitation}`,
      button: 'このアカウントで受け取る',
      invalid: [{ name: '' }, 'お名前を入力してください'],
      valid: { name: '歩' },
      result: { location: /^\/$/ },
    })
  })

  test('shows the errors and the result of each form of the account page', async () => {
    const site = await sampleSite(await fresh(), {}, { verifies: true })
    const { send } = await signInBrowser(site, hana)
    await signInBrowser(site, hana)
    const current = hana.password
    const path = '/account'
    await expectResult(send, { path, button: signOutElsewhere, result: { notice: /ログアウトしました。/ } })
    await expectResult(send, {
      path,
      button: '変更する',
      invalid: [{ email: '', current }, 'メールアドレスを入力してください'],
      valid: { email: 'other@example.jp', current },
      result: { notice: /お送りします/ },
    })
    await expectResult(send, {
      path: findLink(site.mails.findLast(({ to }) => to === 'other@example.jp')),
      button: 'このアドレスに変更する',
      result: { notice: /に変わりました。/ },
    })
    await expectResult(send, {
      path: findLink(site.mails.findLast(({ to, text }) => to === hana.email && text.includes('/undoaddress'))),
      button: '元に戻す',
      result: { location: /^\/resetpassword\?token=/ },
    })
  })

  test('shows the errors and the result of the forms of an account without a verified address', async () => {
    const db = await fresh()
    const { send, cookies } = await signInBrowser(await sampleSite(db), hana)
    const verifying = browserOf(await sampleSite(db, {}, { verifies: true }))
    for (const [name, value] of cookies) verifying.cookies.set(name, value)
    const current = hana.password
    const path = '/account'
    await expectResult(verifying.send, { path, button: '確認のメールを送る', result: { notice: /お送りします/ } })
    await expectResult(send, {
      path,
      button: '変更する',
      // The element `details` is open, so that the error is visible.
      invalid: [
        { current: '', password: newPassword },
        /<details[^>]* open="">(?:(?!<\/details>).)*パスワードを入力してください/s,
      ],
      valid: { current, password: newPassword },
      result: { notice: /変更しました/ },
    })
    await expectResult(send, {
      path,
      button: '退会する',
      invalid: [{ agreed: unticked, current: newPassword }, 'チェックを入れてください'],
      valid: { agreed: 'on', current: newPassword },
      result: { location: /^\/home$/ },
    })
  })

  test('shows a member the result of an RSVP', async () => {
    const { as, people, post } = await sampleSite(await fresh())
    await people()
    const event = { id: crypto.randomUUID(), day: '2026-12-05', title: '月見の会', content: '', attendance: 'yes' }
    await post('administrator', '/calendar', { intent: 'add', ...event })
    await expectResult((path, init) => as('approved', path, init), {
      path: `/calendar?month=2026-12&event=${event.id}`,
      button: '参加',
      valid: { event: event.id },
      result: { notice: /「参加」と回答しました。/ },
    })
  })
})
