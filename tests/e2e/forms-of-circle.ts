// The forms of the circle: members and RSVPs.
import type { Page } from '@playwright/test'
import { fieldsOf, type Step } from '../../app/members/member.ts'
import { type Act, button, type Form, field, one, post, press } from './forms.ts'
import { eventAt, newEvent } from './forms-of-days.ts'
import { stepsOf } from './registering.ts'

/** Completes the five steps of a member without an account. Returns the name. */
async function typeMember(page: Page) {
  const username = one('歩')
  for (const step of [1, 2, 3, 4, 5] as Step[]) {
    const typed = Object.values(stepsOf(username, username)[step - 1] ?? {})
    const fields = Object.fromEntries(fieldsOf(step).map((name, index) => [name, typed[index] ?? '']))
    await post(page, '/membercreate?for=nonmember', { intent: 'next', step: `${step}`, ...fields })
  }
  return username
}

/** Registers a member without an account, or only fills in the steps. Returns the name. */
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

export const formsOfCircle: Form[] = [
  {
    in: 'calendar/event-rsvps.tsx',
    name: 'an RSVP to an event',
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
    in: 'circle/member-card.tsx',
    name: 'the approval of a member',
    path: listWithNewMember,
    send: deed('承認する'),
    gone: { make: deleteMember, says: 'このメンバーは見つかりません。' },
    done: /さんを承認しました。/,
    focus: 'h3',
  },
  {
    in: 'circle/member-list-page.tsx',
    name: 'the deletion of a member',
    path: listWithNewMember,
    fill: unfoldMember,
    send: deed('削除する'),
    yes: '削除する',
    gone: { make: deleteMember, says: 'このメンバーは見つかりません。' },
    done: /さんを削除しました。/,
    focus: 'h2',
  },
  {
    in: 'members/member-step-form.tsx',
    name: 'a step of the member form',
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
    arrives: /step=2/,
    focus: 'h2',
  },
  {
    in: 'members/member-confirm-page.tsx',
    name: 'the registration of a member',
    path: async (page) => {
      await typeMember(page)
      return '/memberdetailconfirm?for=nonmember'
    },
    guest: null,
    other: 'この内容は、ご本人と管理者だけが登録できます。',
    send: press('上記の内容で登録する'),
    failure: 'データの登録中にエラーが発生しました。詳細: ',
    done: /登録しました。/,
    arrives: /\/memberlist\?done=added/,
    focus: '#main',
  },
]
