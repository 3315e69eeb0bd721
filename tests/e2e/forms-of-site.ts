// The forms of the site settings and of contact messages.
import type { Page } from '@playwright/test'
import type { SiteSection } from '../../app/settings/site-sections.ts'
import { readForms } from '../../server/testing-forms.ts'
import { type Form, field, nextNumber, post, press, readHiddenField, unfold, uniqueName } from './forms.ts'
import { enableMail, readToken, signUpAccount } from './forms-of-accounts.ts'
import { password } from './registering.ts'
import { expect, fillIn } from './visitors.ts'

/**
 * Sends a contact message from a new network, because each network may send only five messages per hour. If `shownAt`
 * is the current time, the site quarantines the message as spam.
 */
export async function createMessage(page: Page, shownAt: number) {
  const number = nextNumber()
  const subject = `歩く便り${number}`
  const message = { to: 'shop', subject, text: '本文', from: 'walks@example.jp', homepage: '' }
  const form = { ...message, once: crypto.randomUUID(), shownAt: `${shownAt}` }
  await post(page, '/mail', form, { 'x-forwarded-for': `2001:db8:${number.toString(16)}::1` })
  return '/inbox'
}

/** Returns the stored values of a section of the site settings. */
export async function readSectionSettings(page: Page, section: SiteSection) {
  // Reads the HTML from the server, because the open page may show a restored draft.
  const html = await (await page.request.get('/site')).text()
  const [form] = readForms(html.slice(html.indexOf(` id="${section}"`)))
  return Object.fromEntries(form?.fields ?? [])
}

/** Switches on the requests for tables. Returns a day that guests can choose. */
async function openTables(page: Page) {
  const settings = await readSectionSettings(page, 'tables')
  if (!settings.takesTableRequests) await post(page, '/site', { ...settings, takesTableRequests: 'on' })
  const html = await (await page.request.get('/table')).text()
  return [...html.matchAll(/<option value="(\d{4}-\d\d-\d\d)"/g)][6]?.[1] ?? ''
}

// A request for a table would need a confirmation at each save of the hours.
async function closeTables(page: Page) {
  await post(page, '/site', { ...(await readSectionSettings(page, 'tables')), takesTableRequests: '' })
}

/** Asks for a table from a new network. Returns the path of the request with an open form for another day or time. */
async function createTableRequest(page: Page) {
  const day = await openTables(page)
  const html = await (await page.request.get(`/table?day=${day}&party=1`)).text()
  const time = /name="time"[^>]*value="([\d:]+)"/.exec(html)?.[1] ?? ''
  const request = { day, time, party: '1', name: '青木 花', telephone: '090-1234-5678', homepage: '', shownAt: '1' }
  const network = { 'x-forwarded-for': `2001:db8:${nextNumber().toString(16)}::1` }
  const path = await post(page, '/table', { ...request, id: crypto.randomUUID() }, network)
  return `${path}?day=${day}&party=1`
}

/** Returns the stored values of the section ご案内 of the site settings. */
export const readGuideSettings = (page: Page) => readSectionSettings(page, 'guide')

export const formsOfSite: Form[] = [
  {
    file: 'forms/settings-form.tsx',
    name: 'a section of the site settings',
    path: '/site',
    invalid: {
      make: (page) => page.getByLabel('1つめの名前').fill('予約'),
      text: 'リンクのアドレスを入力してください',
      focus: '[name="links.0.url"]',
    },
    fill: async (page) => {
      await fillIn(page, { '1つめの名前': '', お支払い: uniqueName('カード') })
    },
    send: press('ご案内を保存する'),
    done: /^保存しました。/,
    focus: 'button',
  },
  {
    file: 'owner/backup-page.tsx',
    name: 'reauthentication before a backup',
    // Signs up an account with a password, so that the page requires the password.
    path: async (page) => {
      await signUpAccount(page)
      return '/backup'
    },
    invalid: { text: 'パスワードを入力してください', focus: '[name=current]' },
    fill: (page) => page.getByLabel('現在のパスワード').fill(password),
    send: press('控えをダウンロード'),
    done: 'ご本人であることを確認しました。',
    focus: 'button',
  },
  {
    file: 'contact/mail-page.tsx',
    name: 'a contact message',
    visitor: 'guest',
    path: '/mail',
    invalid: { text: '宛先を選んでください', focus: '[name=to]' },
    fill: async (page) => {
      await page.getByLabel('宛先').selectOption('お店')
      await field(page, '件名').fill('席のご相談')
      await field(page, '本文').fill('五名で伺えますか。')
    },
    send: press('送信する'),
    done: '送信しました',
    resultUrl: /\/mail\?sent/,
    focus: 'h1',
  },
  {
    file: 'tables/ask-page.tsx',
    name: 'a request for a table',
    path: async (page) => `/table?day=${await openTables(page)}&party=2`,
    invalid: { text: '時刻を選んでください', focus: '[name=time]' },
    fill: async (page) => {
      await page.getByRole('radio').nth(1).check()
      await field(page, 'お名前').fill('青木 花')
      await field(page, '電話番号').fill('090-1234-5678')
      // The form rejects input that is faster than a person.
      const shownAt = Number(await readHiddenField(page, 'shownAt'))
      await expect.poll(() => Date.now() - shownAt).toBeGreaterThan(3200)
    },
    send: press('お席を申し込む'),
    resultUrl: /\/table\/[\da-f-]{36}$/,
    focus: 'main',
    after: closeTables,
  },
  {
    file: 'tables/request-page.tsx',
    name: 'the change of a request for a table',
    path: createTableRequest,
    fill: (page) => page.getByRole('radio').nth(1).check(),
    send: press('この内容に変更する'),
    resultUrl: /\/table\/[\da-f-]{36}$/,
    focus: 'h1',
    after: closeTables,
  },
  {
    file: 'tables/request-page.tsx',
    name: 'the cancellation of a request for a table',
    path: createTableRequest,
    fill: (page) => unfold(page, 'お申し込みを取り消す'),
    send: press('取り消す'),
    resultUrl: /\/table\/[\da-f-]{36}$/,
    focus: 'h1',
    after: closeTables,
  },
  {
    file: 'contact/inbox-message.tsx',
    name: 'releasing a message held as spam',
    path: async (page) => `${await createMessage(page, Date.now() + 60_000)}?show=spam`,
    send: press('迷惑メールではありません'),
    done: /^「迷惑メールの可能性」から外しました。/,
    focus: 'h1',
  },
  {
    file: 'contact/inbox-message.tsx',
    name: 'the deletion of a message held as spam',
    path: async (page) => `${await createMessage(page, Date.now() + 60_000)}?show=spam`,
    send: press('削除する'),
    done: /^削除しました。/,
    focus: 'h1',
  },
  {
    file: 'contact/inbox-message.tsx',
    name: 'the read state of a message',
    path: (page) => createMessage(page, 1),
    // The button changes when the page marks the message as read.
    send: press(/^(?:既読にする|未読に戻す)$/),
    done: /^(?:既読にしました|未読に戻しました)。/,
    focus: 'button',
  },
  {
    file: 'contact/inbox-message.tsx',
    name: 'finishing a message',
    walk: 'a list item that the save may remove',
    path: (page) => createMessage(page, 1),
    send: press('対応済みにする'),
    done: /^対応済みにしました。/,
    focus: 'button',
  },
  {
    file: 'contact/inbox-message.tsx',
    name: 'a reply to a message',
    path: async (page) => {
      await enableMail(page)
      return createMessage(page, 1)
    },
    invalid: { make: (page) => unfold(page, '返信を書く'), text: '本文を入力してください', focus: '[name=text]' },
    fill: (page) => field(page, '返信').fill('お待ちしております。'),
    send: press('返信を送る'),
    done: '返信を受け付けました。',
    focus: 'button',
  },
  {
    file: 'contact/inbox-message.tsx',
    name: 'retrying a failed e-mail',
    path: async (page) => {
      const path = await createMessage(page, 1)
      await enableMail(page)
      await readToken(page, 'anybody', 'nothing')
      return path
    },
    send: press('もう一度送る'),
    done: 'もう一度送ります。',
    focus: 'h2',
  },
]
