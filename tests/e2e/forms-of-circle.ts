// The forms of the circle: members and RSVPs.
import type { Page } from '@playwright/test'
import { fieldsOf, type Step } from '../../app/members/member.ts'
import { button, type Form, field, type PageAction, post, press, uniqueName } from './forms.ts'
import { createEvent } from './forms-of-days.ts'
import { answerLink } from './member-links.ts'
import { getMemberSteps } from './registering.ts'

/** Fills in the five registration steps of a member without an account. Returns the name of the member. */
async function fillMemberSteps(page: Page) {
  const username = uniqueName('歩')
  await postMemberSteps(page, '/membercreate?for=nonmember', username)
  return username
}

/** Sends the five registration steps. */
export async function postMemberSteps(page: Page, path: string, username: string) {
  for (const step of [1, 2, 3, 4, 5] as Step[]) {
    const values = Object.values(getMemberSteps(username, username)[step - 1] ?? {})
    const fields = Object.fromEntries(fieldsOf(step).map((name, index) => [name, values[index] ?? '']))
    await post(page, path, { intent: 'next', step: `${step}`, ...fields })
  }
}

/** Registers a member without an account, or only fills in the registration steps. Returns the name of the member. */
export async function createMember(page: Page, { registered = true } = {}) {
  const username = await fillMemberSteps(page)
  if (registered) await post(page, '/memberdetailconfirm?for=nonmember', { once: '' })
  return username
}
let member = ''
async function createMemberInList(page: Page) {
  member = await createMember(page)
  return '/memberlist'
}
const clickMemberButton = (buttonText: string) => (page: Page) => button(page, `${member} さん：${buttonText}`).click()
const unfoldMember: PageAction = (page) => page.getByRole('article', { name: member }).locator('summary').click()

/** Adds an event and returns the path of the page for its organisers. */
export async function createMeeting(page: Page, more: Record<string, string> = {}) {
  const { event } = await createEvent(page, { attendance: 'yes', ...more })
  return `/calendar/${event.id}/people`
}
async function createMeetingWithGuest(page: Page) {
  const path = await createMeeting(page)
  await post(page, path, { name: 'ゲスト 一郎' })
  return path
}
const unfoldGuest: PageAction = (page) => page.getByText('変更・削除').click()
async function changeGuest(page: Page) {
  const guest = await page.locator('[name=guest]').first().inputValue()
  await post(page, new URL(page.url()).pathname, { guest, version: '1', name: 'ほかの方が変えた名前' })
}
const getGuest = (page: Page) => page.getByRole('article', { name: 'ゲスト 一郎' })

export const formsOfCircle: Form[] = [
  {
    file: 'calendar/event-people-page.tsx',
    name: 'an RSVP that an organiser saves',
    path: createMeeting,
    send: (page) =>
      page.getByRole('article', { name: '桜井 花' }).getByRole('button', { name: '参加', exact: true }).click(),
    done: '桜井 花 さんを「参加」にしました。',
    focus: 'button[name=answer]',
  },
  {
    file: 'calendar/event-people-page.tsx',
    name: 'a new guest of an event',
    path: createMeeting,
    invalid: { text: 'お名前を入力してください', focus: '[name=name]' },
    fill: (page) => field(page, 'お名前').fill('ゲスト 花子'),
    send: press('ゲストを追加する'),
    done: 'ゲスト 花子 さんを追加しました。',
    focus: 'button[type=submit]',
  },
  {
    file: 'calendar/event-people-page.tsx',
    name: 'the name of a guest',
    path: createMeetingWithGuest,
    conflict: { make: changeGuest, text: 'ほかの方が先に変更しました' },
    fill: async (page) => {
      await unfoldGuest(page)
      await getGuest(page).getByRole('textbox').fill('ゲスト 一朗')
    },
    send: (page) => getGuest(page).getByRole('button', { name: '保存する' }).click(),
    done: 'お名前を保存しました。',
    focus: 'button[type=submit]',
  },
  {
    file: 'calendar/event-people-page.tsx',
    name: 'the deletion of a guest',
    path: createMeetingWithGuest,
    fill: unfoldGuest,
    send: (page) => getGuest(page).getByRole('button', { name: '削除する' }).click(),
    done: 'ゲストを削除しました。',
    focus: 'h2',
  },
  {
    file: 'calendar/event-rsvps.tsx',
    name: 'an RSVP to an event',
    visitor: 'approved',
    path: async (page) => {
      await page.context().addCookies([{ name: 'as', value: 'owner', url: new URL(page.url()).origin }])
      const { path } = await createEvent(page, { attendance: 'yes' })
      await page.context().addCookies([{ name: 'as', value: 'approved', url: new URL(page.url()).origin }])
      return path
    },
    send: press('参加'),
    done: '「参加」と回答しました。',
    focus: 'button[name=answer]',
  },
  {
    file: 'calendar/answer-page.tsx',
    name: 'an RSVP from a link',
    visitor: 'guest',
    path: async (page) => {
      await page.context().addCookies([{ name: 'as', value: 'owner', url: new URL(page.url()).origin }])
      const { event } = await createEvent(page, { attendance: 'yes' })
      await page.context().clearCookies({ name: 'as' })
      return answerLink('approved', event.id)
    },
    send: press('参加'),
    done: '「参加」と回答しました。',
    focus: 'button[name=answer]',
  },
  {
    file: 'circle/own-feed.tsx',
    name: 'an address of the own calendar',
    visitor: 'approved',
    path: '/memberlist',
    send: (page) => page.getByRole('button', { name: /アドレスを作る|新しいアドレスにする/ }).click(),
    done: /アドレスを作りました。|新しいアドレスにしました。/,
    focus: 'button',
  },
  {
    file: 'circle/member-card.tsx',
    name: 'the approval of a member',
    path: createMemberInList,
    send: clickMemberButton('承認する'),
    done: /さんを承認しました。/,
    focus: 'h3',
  },
  {
    file: 'circle/member-list-page.tsx',
    name: 'the deletion of a member',
    path: createMemberInList,
    fill: unfoldMember,
    send: clickMemberButton('削除する'),
    confirm: '削除する',
    done: /さんを削除しました。/,
    focus: 'h2',
  },
  {
    file: 'members/resting-notice.tsx',
    name: 'the return of a resting member',
    visitor: 'approved',
    path: async (page) => {
      await page.context().addCookies([{ name: 'as', value: 'approved', url: new URL(page.url()).origin }])
      await post(page, '/memberlist', { member: 'approved', deed: 'rest' })
      return '/memberlist'
    },
    send: press('復帰する'),
    done: /さんが復帰しました。/,
    focus: 'h1',
  },
  {
    file: 'circle/message-page.tsx',
    name: 'a message to members',
    path: '/memberlist/message',
    guestError: /この操作は管理者とスタッフだけが行えます。.*ログインしてください/,
    invalid: {
      make: (page) => field(page, '件名').fill(''),
      text: '件名を入力してください',
      focus: '[name=subject]',
    },
    fill: async (page) => {
      await field(page, '件名').fill('駐車場')
      await field(page, '本文').fill('車は3台まで')
    },
    send: press('人数を確認する'),
    done: /0名にお送りします。/,
    focus: 'button[name=intent]',
  },
  {
    file: 'members/member-step-form.tsx',
    name: 'a step of the member form',
    walk: 'input that is stored at every change, and errors in an alert dialog',
    path: '/membercreate/approved',
    guestError: /ご本人と管理者だけが変更できます。.*ログインしてください。/,
    invalid: {
      make: (page) => field(page, 'メールアドレス').fill(''),
      text: '未入力です',
      announcement: 'すべての項目を入力してください',
      focus: '[name=email]',
    },
    fill: async (page) => {
      for (const [label, text] of Object.entries(getMemberSteps('桜井 花', '桜井 花')[0] ?? {}))
        await page.getByLabel(label, { exact: true }).fill(text)
    },
    send: press('次へ'),
    resultUrl: /step=2/,
    focus: 'h2',
  },
  {
    file: 'members/member-confirm-page.tsx',
    name: 'the registration of a member',
    path: async (page) => {
      await fillMemberSteps(page)
      return '/memberdetailconfirm?for=nonmember'
    },
    guestError: null,
    send: press('上記の内容で登録する'),
    failure: 'データの登録中にエラーが発生しました。詳細: ',
    done: /登録しました。/,
    resultUrl: /\/memberlist$/,
    focus: '#main',
  },
  {
    file: 'owner/mail-kinds-section.tsx',
    name: 'the kinds of e-mail that a member receives',
    visitor: 'account',
    path: async (page) => {
      await postMemberSteps(page, '/membercreate', uniqueName('歩'))
      await post(page, '/memberdetailconfirm', { once: '' })
      return '/account'
    },
    guestError: 'ログインしてからご覧ください',
    send: press('保存する'),
    done: '届くメールを保存しました。',
    focus: 'button[name=intent]',
  },
]
