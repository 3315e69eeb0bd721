// Every form of the site: how it is filled in and sent, and what is said of what becomes of it.
import type { Locator, Page } from '@playwright/test'
import { noHours, scheduleRows } from '../app/business-days/business-day.ts'
import { fieldsOf, type Step } from '../app/members/member.ts'
import { password, stepsOf } from './registering.ts'
import { expect } from './visitors.ts'

export type Says = RegExp | string
type Act = (page: Page) => Promise<unknown>

export type Form = {
  /** The file that draws it. */
  in: string
  name: string
  /** Who sends it; `account` is someone who has just signed up. */
  who: 'guest' | 'account' | 'approved' | 'owner'
  path: string | ((page: Page) => Promise<string>)
  /** Fills it in, so that it can be sent. */
  fill?: Act
  /** Presses its button. */
  send: Act
  /** The button of the question that is asked then. */
  yes?: string
  /** What is wrong with it as it first stands there, or is made so, and which field has the focus then. */
  wrong?: { make?: Act; says: Says; heard?: Says; focus: string }
  /** What is said to who has signed out, and to somebody else who has signed in; null where it leads elsewhere. */
  guest?: Says | null
  other?: Says
  /** What somebody else does meanwhile, and what is said then. */
  newer?: { make: Act; says: Says }
  gone?: { make: Act; says: Says }
  /** What is said of success; null where the next page says it by itself. */
  done: Says | null
  /** Where it leads. */
  arrives?: RegExp
  /** Whether what becomes of it is said in a dialog of its own. */
  alerts?: boolean
  /** What has the focus then, as a selector. */
  focus: string
  /** Whether nothing is asked without scripts: it is done at once, and can be taken back. */
  atOnce?: boolean
}

const button = (page: Page, name: Says) => page.getByRole('button', { name }).first()
const press = (name: Says) => (page: Page) => button(page, name).click()
const field = (where: Page | Locator, name: Says) => where.getByRole('textbox', { name }).first()
const unfold = (page: Page, summary: string) => page.locator('summary', { hasText: summary }).first().click()

/** Sends a form beside the page, as who has it open; gives where it leads. */
async function post(page: Page, path: string, form: Record<string, string>) {
  const { origin } = new URL(page.url())
  const answer = await page.request.post(`${origin}${path}`, { form, headers: { origin }, maxRedirects: 0 })
  expect(answer.status(), `${path} ${JSON.stringify(form)}`).toBeLessThan(400)
  return answer.headers().location ?? ''
}

const hidden = (page: Page, name: string) => page.locator(`input[name="${name}"]`).first().inputValue()

const formOf = (id: string) => `/firestoreservice/${id}/edit`

let count = 0
function next() {
  count += 1
  return count
}
const one = (what: string) => what + next()

/** The id of a new card of this collection. */
export async function newCard(page: Page, collection: string) {
  const title = one('歩く札')
  const to = await post(page, `/firestoreservice?databasename=${collection}`, {
    intent: 'add',
    title,
    content: '内容',
    text1: title,
  })
  return /#card-(.*)$/.exec(to)?.[1] ?? ''
}
const cardAt = (page: Page) => new URL(page.url()).pathname.split('/')[2] ?? ''
const changed = { intent: 'save', version: '1', title: 'ほかの方の題', content: '内容' }
const changeCard: Act = (page) => post(page, new URL(page.url()).pathname, changed)
const deletion = { intent: 'delete', confirmed: 'yes' }
const deleteCard: Act = (page) => post(page, `/firestoreservice/${cardAt(page)}/edit`, { ...deletion, version: '1' })

/** The address of a new event, on a day of its own, and the event as it is sent. */
export async function newEvent(page: Page, more: Record<string, string> = {}) {
  const event = { id: crypto.randomUUID(), day: newDay(), title: one('歩く催し'), content: '', ...more }
  await post(page, '/calendar', { intent: 'add', ...event })
  return { path: `/calendar?month=${event.day.slice(0, 7)}&event=${event.id}`, event }
}
function newDay() {
  const number = next()
  return `20${31 + (number % 60)}-0${1 + (number % 9)}-1${number % 10}`
}
const eventAt = (page: Page) => new URL(page.url()).searchParams.get('event') ?? ''
async function changeEvent(page: Page) {
  const form = { intent: 'save', id: eventAt(page), version: '1', day: '2031-05-05', title: 'ほかの方の催し' }
  await post(page, '/calendar', form)
}
const deleteEvent: Act = (page) => post(page, '/calendar', { intent: 'delete', id: eventAt(page), version: '1' })

/** A new special day. */
async function newSpecialDay(page: Page) {
  const day = newDay()
  await post(page, '/bussinessdays', { intent: 'special', first: day, reason: '臨時休業', ...noHours })
  return day
}

const week = Object.fromEntries(
  scheduleRows.flatMap((row) =>
    Object.entries({ ...noHours, open_or_close: 'open' }).map(([name, value]) => [`${row}.${name}`, value]),
  ),
)

/** Types the five steps of a new member without an account; gives the name. */
async function typeMember(page: Page) {
  const username = one('歩')
  for (const step of [1, 2, 3, 4, 5] as Step[]) {
    const typed = Object.values(stepsOf(username, username)[step - 1] ?? {})
    const fields = Object.fromEntries(fieldsOf(step).map((name, index) => [name, typed[index] ?? '']))
    await post(page, '/membercreate?for=nonmember', { intent: 'next', step: `${step}`, ...fields })
  }
  return username
}

/** A new member without an account, by name; not `registered` where only the form is filled in. */
export async function newMember(page: Page, { registered = true } = {}) {
  const username = await typeMember(page)
  if (registered) await post(page, '/memberdetailconfirm?for=nonmember', { once: '' })
  return username
}
let member = ''
async function listWithNewMember(page: Page) {
  member = await newMember(page)
  return '/memberlist'
}
const deed = (words: string) => (page: Page) => button(page, `${member} さん：${words}`).click()
async function deleteMember(page: Page) {
  const id = page.getByRole('article', { name: member }).locator('input[name=member]').first()
  await post(page, '/memberlist', { deed: 'delete', member: await id.inputValue() })
}
const unfoldMember: Act = (page) => page.getByRole('article', { name: member }).locator('summary').click()

/** The address of whoever signed up last. */
let email = ''
/** Signs up beside the page as someone new, with a password; gives their address. */
export async function newAccount(page: Page) {
  email = `${one('walks')}-${crypto.randomUUID().slice(0, 8)}@example.jp`
  await post(page, '/signupform', { name: '歩', email, password })
  return email
}
/** The token of the last mail to this address whose link leads to this path. */
async function tokenFor(page: Page, email: string, path: string) {
  const { origin } = new URL(page.url())
  const texts: string[] = await (await page.request.get(`${origin}/outbox?to=${email}`)).json()
  return texts.map((text) => new RegExp(`${path}\\?token=(\\S+)`).exec(text)?.[1]).find(Boolean) ?? ''
}
const sendsMail: Act = (page) =>
  page.context().addCookies([{ name: 'mail', value: 'yes', url: new URL(page.url()).origin }])
async function resetLink(page: Page) {
  const email = await newAccount(page)
  await post(page, '/resetpassword', { email })
  return `/resetpassword?token=${await tokenFor(page, email, '/resetpassword')}`
}
async function proofLink(page: Page) {
  await sendsMail(page)
  return `/verifyemail?token=${await tokenFor(page, await newAccount(page), '/verifyemail')}`
}
async function undoLink(page: Page) {
  const email = await newAccount(page)
  await sendsMail(page)
  const prove = async (address: string) =>
    post(page, '/verifyemail', { token: await tokenFor(page, address, '/verifyemail') })
  await post(page, '/account', { intent: 'verify' })
  await prove(email)
  await post(page, '/account', { intent: 'email', email: `other-${email}`, current: password })
  await prove(`other-${email}`)
  return `/undoaddress?token=${await tokenFor(page, email, '/undoaddress')}`
}

/** A message in the inbox, kept back as spam: it came too soon. */
async function newMessage(page: Page, shownAt: number) {
  const subject = one('歩く便り')
  const message = { to: 'shop', subject, text: '本文', from: 'walks@example.jp', homepage: '' }
  await post(page, '/mail', { ...message, once: crypto.randomUUID(), shownAt: `${shownAt}` })
  return '/inbox'
}

const LINK_IS_OVER = 'このリンクは期限が切れたか、すでに使われています。'
const NO_TITLE = 'タイトルを入力してください'
const NEWER = 'ほかの方が先に'
/** The form of the account's page that changes this. */
const changing = (page: Page, what: string) => page.locator('form', { has: page.locator(`button[value=${what}]`) })
const account = { who: 'account', path: '/account', guest: 'ログインしてからご覧ください' } as const

export const forms: Form[] = [
  {
    in: 'content/content-form.tsx',
    name: 'a new card',
    who: 'owner',
    path: '/firestoreservice?databasename=vbacreate',
    wrong: { says: NO_TITLE, focus: '[name=title]' },
    fill: async (page) => {
      await field(page, 'タイトル').fill(one('歩いて足す'))
      await field(page, '内容').fill('内容')
    },
    send: press('追加する'),
    done: '追加しました。',
    arrives: /\/vbacreate\?done=added/,
    focus: 'article',
  },
  {
    in: 'content/content-form.tsx',
    name: 'a card',
    who: 'owner',
    path: async (page) => formOf(await newCard(page, 'vbacreate')),
    wrong: { make: (page) => field(page, 'タイトル').fill(''), says: NO_TITLE, focus: '[name=title]' },
    fill: (page) => field(page, 'タイトル').fill(one('歩いて直す')),
    send: press('保存する'),
    newer: { make: changeCard, says: 'どちらを残すかをお選び' },
    gone: { make: deleteCard, says: 'この記事は見つかりません' },
    done: /保存しました。/,
    arrives: /\/vbacreate\?done=/,
    focus: 'article',
  },
  {
    in: 'content/content-form.tsx',
    name: 'the deletion of a card',
    who: 'owner',
    path: async (page) => formOf(await newCard(page, 'vbacreate')),
    send: press('削除する'),
    yes: '削除する',
    newer: { make: changeCard, says: 'ほかの方が先に変更しました。' },
    gone: { make: deleteCard, says: 'この記事は見つかりません' },
    done: '削除しました。',
    arrives: /\/vbacreate\?done=deleted/,
    focus: '#main',
  },
  {
    in: 'content/content-form.tsx',
    name: 'a new dish',
    who: 'owner',
    path: '/dining/new/add',
    wrong: { says: NO_TITLE, focus: '[name=title]' },
    fill: async (page) => {
      await field(page, 'タイトル').fill(one('歩く皿'))
      await field(page, '内容').fill('内容')
    },
    send: press('追加する'),
    done: '追加しました。',
    arrives: /\/dining\?done=added/,
    focus: 'h1',
  },
  {
    in: 'content/content-form.tsx',
    name: 'a dish',
    who: 'owner',
    path: async (page) => `/dining/${await newCard(page, 'dining')}/edit`,
    fill: (page) => field(page, 'タイトル').fill(one('歩いて直す皿')),
    send: press('保存する'),
    newer: { make: changeCard, says: 'どちらを残すかをお選び' },
    gone: { make: deleteCard, says: 'この記事は見つかりません' },
    done: /保存しました。/,
    arrives: /\/dining\?done=/,
    focus: 'h1',
  },
  {
    in: 'history/history-panel.tsx',
    name: 'an earlier state of a card',
    who: 'owner',
    path: async (page) => {
      const path = formOf(await newCard(page, 'vbacreate'))
      await post(page, path, changed)
      return path
    },
    fill: (page) => unfold(page, 'これまでの変更'),
    send: press(/^この時点に戻す/),
    gone: {
      make: (page) => post(page, `/firestoreservice/${cardAt(page)}/edit`, { ...deletion, version: '2' }),
      says: 'この記事は見つかりません',
    },
    done: /戻しました。/,
    arrives: /\/vbacreate\?done=/,
    focus: 'article',
  },
  {
    in: 'saving/save-form.tsx',
    name: 'the way back of what was saved',
    who: 'owner',
    path: async (page) => {
      const to = await post(page, formOf(await newCard(page, 'vbacreate')), changed)
      return to.replace(/#.*/, '')
    },
    send: press('元に戻す'),
    done: '元に戻しました。',
    focus: '#main',
  },
  {
    in: 'shop/dining-editor.tsx',
    name: 'the switch of a dish that is sold out',
    who: 'owner',
    path: async (page) => {
      await newCard(page, 'dining')
      return '/dining'
    },
    send: (page) => page.getByRole('switch', { name: '「出汁巻き玉子」を本日売り切れにする' }).click(),
    done: null,
    focus: '[role=switch]',
  },
  {
    in: 'content/arrange-list.tsx',
    name: 'the order of the dishes',
    who: 'owner',
    path: '/dining?arrange',
    send: press('「出汁巻き玉子」を下へ'),
    done: '並び順を保存しました。',
    focus: 'button[name=down]',
  },
  {
    in: 'content/arrange-list.tsx',
    name: 'the order of the slides',
    who: 'owner',
    path: '/',
    send: press('「東京の三つ星の店で」を下へ'),
    done: '並び順を保存しました。',
    focus: 'button[name=down]',
  },
  {
    in: 'shop/slides-editor.tsx',
    name: 'the deletion of a slide on the page',
    who: 'owner',
    path: '/',
    send: (page) =>
      page
        .getByRole('button', { name: /^「.+」を削除$/ })
        .last()
        .click(),
    yes: '削除する',
    done: '削除しました。',
    focus: 'h2',
  },
  {
    in: 'history/bin-page.tsx',
    name: 'what comes out of the bin',
    who: 'owner',
    path: async (page) => {
      await post(page, formOf(await newCard(page, 'vbacreate')), { ...deletion, version: '1' })
      return '/bin'
    },
    send: press(/を元に戻す$/),
    gone: {
      make: async (page) => post(page, '/bin', { kind: await hidden(page, 'kind'), id: await hidden(page, 'id') }),
      says: '見つかりませんでした。ほかの方が先に元に戻したようです。',
    },
    done: '元に戻しました。',
    focus: 'h1',
  },
  {
    in: 'business-days/today-page.tsx',
    name: 'a closed day of today',
    who: 'owner',
    path: '/today',
    send: press(/臨時休業/),
    newer: {
      make: async (page) =>
        post(page, '/today', {
          intent: 'close',
          day: await hidden(page, 'day'),
          version: await hidden(page, 'version'),
        }),
      says: 'ほかの方が先に変更したか、日付が変わりました。',
    },
    done: '本日を「臨時休業」にしました。',
    focus: 'button[value=close]',
  },
  {
    in: 'business-days/today-page.tsx',
    name: 'other hours for today',
    who: 'owner',
    path: '/today',
    fill: async (page) => {
      await unfold(page, '時間変更')
      await page.getByLabel('本日 第1部 開始の時').selectOption('10')
      await page.getByLabel('本日 第1部 終了の時').selectOption('12')
    },
    send: press('この時間にする'),
    done: /^本日を「.*」にしました。/,
    focus: 'h1',
  },
  {
    in: 'business-days/week-form.tsx',
    name: 'the week',
    who: 'owner',
    path: '/bussinessdays',
    wrong: {
      make: async (page) => {
        await page.getByLabel('日曜日 第1部 開始の時').selectOption('10')
        await page.getByLabel('日曜日 第1部 終了の時').selectOption('10')
        await page.getByLabel('日曜日 第1部 開始の分').selectOption('00')
        await page.getByLabel('日曜日 第1部 終了の分').selectOption('00')
      },
      says: '開始と終了が同じ時刻です。',
      focus: '[name="日曜日.starttime1_hour"]',
    },
    fill: (page) => page.getByLabel('日曜日 第1部 終了の時').selectOption('12'),
    send: press(/^(?:編集する|スケジュールを登録する)$/),
    newer: {
      make: async (page) =>
        post(page, '/bussinessdays', { intent: 'week', ...week, version: await hidden(page, 'version') }),
      says: 'ほかの方が先に保存しました。',
    },
    done: '営業日の設定を保存しました。',
    arrives: /\/calendar\?done=hours/,
    focus: '#main',
  },
  {
    in: 'business-days/special-days-form.tsx',
    name: 'a special day',
    who: 'owner',
    path: '/bussinessdays?table=special',
    wrong: {
      make: async (page) => {
        await page.getByLabel('日付の月').selectOption('2')
        await page.getByLabel('期間やくり返しで').check()
        await page.getByLabel('終わりの日の年').selectOption('2025')
      },
      says: '終わりの日は始まりの日より後にしてください',
      focus: '[name=lastYear]',
    },
    fill: async (page) => {
      await page.getByLabel('期間やくり返しで').uncheck()
      await page.getByLabel('日付の年').selectOption(`${2040 + (next() % 50)}`)
    },
    send: press('スケジュールを登録する'),
    done: '営業日の設定を保存しました。',
    arrives: /\/calendar\?month=.*done=hours/,
    focus: '#main',
  },
  {
    in: 'business-days/special-days-form.tsx',
    name: 'a special day that is as usual again',
    who: 'owner',
    path: async (page) => `/bussinessdays?table=special&day=${await newSpecialDay(page)}`,
    send: press('この日を通常の営業に戻す'),
    newer: {
      make: async (page) =>
        post(page, '/bussinessdays', { intent: 'remove', first: await hidden(page, 'first'), version: '1' }),
      says: NEWER,
    },
    done: '営業日の設定を保存しました。',
    arrives: /\/calendar\?month=.*done=hours/,
    focus: '#main',
  },
  {
    in: 'calendar/day-panel.tsx',
    name: 'a new event',
    who: 'owner',
    path: async () => {
      const day = newDay()
      return `/calendar?month=${day.slice(0, 7)}&day=${day}`
    },
    fill: (page) => field(page, 'タイトル').fill(one('歩く催し')),
    send: press('追加する'),
    done: '予定を追加しました。',
    focus: 'button[value=add]',
  },
  {
    in: 'calendar/event-dialog.tsx',
    name: 'an event',
    who: 'owner',
    path: async (page) => (await newEvent(page)).path,
    fill: async (page) => {
      await button(page, '編集する').click()
      await field(page.getByRole('dialog'), 'タイトル').fill(one('直した催し'))
    },
    send: press('保存する'),
    newer: { make: changeEvent, says: 'ほかの方が先に保存しました。' },
    gone: { make: deleteEvent, says: 'この予定は、すでに削除されています。' },
    done: '予定を保存しました。',
    focus: '#month',
  },
  {
    in: 'calendar/event-dialog.tsx',
    name: 'an event on another day',
    who: 'owner',
    path: async (page) => (await newEvent(page)).path,
    fill: async (page) => {
      await button(page, '編集する').click()
      await page.getByLabel('別の日に移す').fill('2031-05-06')
    },
    send: press('この日に移す'),
    newer: { make: changeEvent, says: 'ほかの方が先に変更しました。' },
    gone: { make: deleteEvent, says: 'この予定は、すでに削除されています。' },
    done: '予定を移しました。',
    focus: '#month',
  },
  {
    in: 'calendar/calendar-page.tsx',
    name: 'the deletion of an event',
    who: 'owner',
    path: async (page) => (await newEvent(page)).path,
    send: press('削除する'),
    yes: '削除する',
    atOnce: true,
    alerts: true,
    done: 'イベントを削除しました',
    focus: '#month',
  },
  {
    in: 'participation/answers.tsx',
    name: 'an answer to an event',
    who: 'approved',
    path: async (page) => {
      await page.context().addCookies([{ name: 'as', value: 'owner', url: new URL(page.url()).origin }])
      const { path } = await newEvent(page, { attendance: 'yes' })
      await page.context().addCookies([{ name: 'as', value: 'approved', url: new URL(page.url()).origin }])
      return path
    },
    send: press('参加'),
    newer: {
      make: (page) =>
        post(page, '/memberlist', { event: eventAt(page), answer: 'no', note: '', version: '0', once: '' }),
      says: 'ほかの画面で先にお答えになっています。',
    },
    done: '「参加」とお答えいただきました。',
    focus: 'button[name=answer]',
  },
  {
    in: 'members/member-card.tsx',
    name: 'the approval of a member',
    who: 'owner',
    path: listWithNewMember,
    send: deed('承認する'),
    gone: { make: deleteMember, says: 'このメンバーは見つかりません。' },
    done: /さんを承認しました。/,
    focus: 'h3',
  },
  {
    in: 'members/member-list-page.tsx',
    name: 'the deletion of a member',
    who: 'owner',
    path: listWithNewMember,
    fill: unfoldMember,
    send: deed('削除する'),
    yes: '削除する',
    atOnce: true,
    gone: { make: deleteMember, says: 'このメンバーは見つかりません。' },
    done: /さんを削除しました。/,
    focus: 'h2',
  },
  {
    in: 'members/member-step-form.tsx',
    name: 'a step of the member’s form',
    who: 'owner',
    path: '/membercreate/approved',
    guest: /ご本人と管理者だけが変更できます。.*ログインしてください。/,
    other: 'ご本人と管理者だけが変更できます。',
    wrong: {
      make: (page) => field(page, 'メールアドレス').fill(''),
      says: '未入力です',
      heard: 'すべての項目を入力してください',
      focus: '[name=email]',
    },
    fill: async (page) => {
      for (const [label, text] of Object.entries(stepsOf('桜井 花', '桜井 花')[0] ?? {}))
        await page.getByLabel(label, { exact: true }).fill(text)
    },
    send: press('次へ'),
    done: null,
    arrives: /step=2/,
    focus: 'h2',
  },
  {
    in: 'members/member-confirm-page.tsx',
    name: 'the registration of a member',
    who: 'owner',
    path: async (page) => {
      await typeMember(page)
      return '/memberdetailconfirm?for=nonmember'
    },
    guest: null,
    other: 'この内容は、ご本人と管理者だけが登録できます。',
    send: press('上記の内容で登録する'),
    done: /登録しました。/,
    arrives: /\/memberlist\?done=added/,
    focus: '#main',
  },
  {
    in: 'site/site-fields.tsx',
    name: 'the facts of the shop',
    who: 'owner',
    path: '/site',
    wrong: {
      make: (page) => page.getByLabel('店名').fill(''),
      says: '店名を入力してください',
      focus: '[name=name]',
    },
    fill: async (page) => {
      await page.getByLabel('店名').fill('ダイニング結')
      await page.getByLabel('お席').fill(one('カウンター'))
    },
    send: press('保存する'),
    newer: {
      make: async (page) => {
        const form = page.locator('form', { has: page.getByLabel('お席') })
        const fields = await form.evaluate((element: HTMLFormElement) => Object.fromEntries(new FormData(element)))
        await post(page, '/site', { ...(fields as Record<string, string>), seats: 'ほかの方のお席' })
      },
      says: 'ほかの方が先に、同じところを変えて保存しました。',
    },
    done: /^保存しました。/,
    focus: 'button',
  },
  {
    in: 'mail/mail-page.tsx',
    name: 'a message',
    who: 'guest',
    path: '/mail',
    wrong: { says: '宛先を選んでください', focus: '[name=to]' },
    fill: async (page) => {
      await page.getByLabel('宛先').selectOption('お店')
      await field(page, '件名').fill('席のご相談')
      await field(page, '本文').fill('五名で伺えますか。')
    },
    send: press('送信する'),
    done: '送信しました',
    arrives: /\/mail\?sent/,
    focus: 'h1',
  },
  {
    in: 'mail/inbox-page.tsx',
    name: 'a message that was taken for spam',
    who: 'owner',
    path: (page) => newMessage(page, Date.now()),
    send: press('迷惑メールではないので送る'),
    done: 'お問い合わせを送りました。',
    focus: 'h2',
  },
  {
    in: 'mail/inbox-page.tsx',
    name: 'an answer to a message',
    who: 'owner',
    path: (page) => newMessage(page, 1),
    wrong: { make: (page) => unfold(page, '返事を書く'), says: '本文を入力してください', focus: '[name=text]' },
    fill: (page) => field(page, 'お返事').fill('お待ちしております。'),
    send: press('返事を送る'),
    done: 'お返事をお預かりしました。',
    focus: 'button',
  },
  {
    in: 'mail/inbox-page.tsx',
    name: 'a mail that has not left',
    who: 'owner',
    path: async (page) => {
      const path = await newMessage(page, 1)
      await sendsMail(page)
      await tokenFor(page, 'anybody', 'nothing')
      return path
    },
    send: press('もう一度送る'),
    done: 'もう一度送ります。',
    focus: 'h2',
  },
  {
    in: 'accounts/email-login-page.tsx',
    name: 'a sign-in',
    who: 'guest',
    path: async (page) => {
      email = await newAccount(page)
      await page.context().clearCookies()
      return '/emaillogin'
    },
    wrong: { says: 'メールアドレスを入力してください', focus: '[name=email]' },
    fill: async (page) => {
      await page.getByLabel('メールアドレス').fill(email)
      await page.getByLabel('パスワード').fill(password)
    },
    send: press('ログインする'),
    done: null,
    arrives: /\/login\/welcome|\/membercreate/,
    focus: 'dialog button',
  },
  {
    in: 'accounts/sign-up-page.tsx',
    name: 'a new account',
    who: 'guest',
    path: '/signupform',
    wrong: { says: 'お名前を入力してください', focus: '[name=name]' },
    fill: async (page) => {
      await page.getByLabel('お名前').fill('歩')
      await page.getByLabel('メールアドレス').fill(`${one('new')}-${crypto.randomUUID().slice(0, 8)}@example.jp`)
      await page.getByLabel('パスワード').fill(password)
    },
    send: press('登録する'),
    newer: {
      make: async (page) =>
        post(page, '/signupform', {
          name: '歩',
          email: await page.getByLabel('メールアドレス').inputValue(),
          password,
        }),
      says: 'このメールアドレスはすでに登録されています。',
    },
    done: null,
    arrives: /\/login\/welcome|\/membercreate/,
    focus: 'dialog button',
  },
  {
    in: 'accounts/reset-page.tsx',
    name: 'the wish for a new password',
    who: 'guest',
    path: '/resetpassword',
    wrong: { says: 'メールアドレスを入力してください', focus: '[name=email]' },
    fill: (page) => page.getByLabel('登録したメールアドレス').fill('nobody@example.jp'),
    send: press('再設定を申し込む'),
    done: 'お申し込みを受け付けました。',
    focus: 'h1',
  },
  {
    in: 'accounts/reset-page.tsx',
    name: 'a new password',
    who: 'guest',
    path: resetLink,
    wrong: { says: /パスワードは次のようにしてください|パスワードを入力してください/, focus: '[name=password]' },
    fill: (page) => page.getByLabel('新しいパスワード').fill('another-one-42'),
    send: press('このパスワードにする'),
    gone: {
      make: async (page) => post(page, '/resetpassword', { token: await hidden(page, 'token'), password }),
      says: LINK_IS_OVER,
    },
    done: null,
    arrives: /\/emaillogin\?newpassword/,
    focus: '#main',
  },
  {
    in: 'accounts/verify-page.tsx',
    name: 'the proof of an address',
    who: 'guest',
    path: proofLink,
    send: press('このアドレスを確認する'),
    gone: {
      make: async (page) => post(page, '/verifyemail', { token: await hidden(page, 'token') }),
      says: LINK_IS_OVER,
    },
    done: /を確認しました。/,
    focus: 'h1',
  },
  {
    in: 'accounts/undo-address-page.tsx',
    name: 'the way back of an address',
    who: 'guest',
    path: undoLink,
    send: press('元に戻す'),
    gone: {
      make: async (page) => post(page, '/undoaddress', { token: await hidden(page, 'token') }),
      says: LINK_IS_OVER,
    },
    done: null,
    arrives: /\/resetpassword\?token=/,
    focus: '#main',
  },
  {
    ...account,
    in: 'accounts/change-password.tsx',
    name: 'another password',
    wrong: {
      make: (page) => unfold(page, 'パスワードを変更する'),
      says: 'パスワードを入力してください',
      focus: '[name=current]',
    },
    fill: async (page) => {
      await changing(page, 'password').getByLabel('今のパスワード').fill(password)
      await page.getByLabel('新しいパスワード').fill('another-one-42')
    },
    send: (page) => page.locator('button[value=password]').click(),
    done: /変更しました/,
    focus: 'button[value=password]',
  },
  {
    ...account,
    in: 'accounts/change-address.tsx',
    name: 'another address',
    wrong: {
      make: (page) => unfold(page, 'メールアドレスを変更する'),
      says: 'メールアドレスを入力してください',
      focus: '[name=email]',
    },
    fill: async (page) => {
      await page
        .getByLabel('新しいメールアドレス')
        .fill(`${one('moved')}-${crypto.randomUUID().slice(0, 8)}@example.jp`)
      await changing(page, 'email').getByLabel('今のパスワード').fill(password)
    },
    send: (page) => page.locator('button[value=email]').click(),
    done: /変更しました|変わりました|お送りしました/,
    focus: 'button[value=email]',
  },
  {
    ...account,
    in: 'accounts/change-address.tsx',
    name: 'the wish for the mail that proves an address',
    path: async (page) => {
      await sendsMail(page)
      return '/account'
    },
    send: press('確認のメールを送る'),
    done: /お送りしました/,
    focus: 'button[value=verify]',
  },
  {
    ...account,
    in: 'accounts/devices.tsx',
    name: 'the end of other devices',
    path: async (page) => {
      const [cookies, again] = [await page.context().cookies(), email]
      await page.context().clearCookies()
      await post(page, '/emaillogin', { email: again, password })
      await page.context().addCookies(cookies)
      return '/account'
    },
    send: press('ほかの端末をすべてログアウトさせる'),
    done: 'ログアウトしました。',
    focus: 'h2',
  },
  {
    ...account,
    in: 'accounts/leave.tsx',
    name: 'leaving',
    wrong: { make: (page) => unfold(page, '退会する'), says: '印を付けてください', focus: '[name=agreed]' },
    fill: async (page) => {
      await page.getByLabel('内容を確認しました').check()
      await changing(page, 'leave').getByLabel('今のパスワード').fill(password)
    },
    send: (page) => page.locator('button[value=leave]').click(),
    done: null,
    arrives: /\/home$/,
    focus: 'body',
  },
]
