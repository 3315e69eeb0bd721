// The forms of hours, special days and events.
import type { Page } from '@playwright/test'
import { addDays } from '../../app/dates/month.ts'
import { scheduleRows } from '../../app/hours/business-day.ts'
import { noHourFields } from '../../app/hours/hour-fields.ts'
import {
  button,
  type Form,
  field,
  nextNumber,
  type PageAction,
  post,
  press,
  readHiddenField,
  unfold,
  uniqueName,
} from './forms.ts'
import { readGuideSettings } from './forms-of-site.ts'
import { choose, expect, fillIn, open } from './visitors.ts'

/** Adds an event on an unused day. Returns its path and its form fields. */
export async function createEvent(page: Page, more: Record<string, string> = {}) {
  const event = { id: crypto.randomUUID(), day: getUnusedDay(), title: uniqueName('歩く催し'), content: '', ...more }
  await post(page, '/calendar', { intent: 'add', ...event })
  return { path: `/calendar?month=${event.day.slice(0, 7)}&event=${event.id}`, event }
}
/** Adds an event with the form of the calendar. */
export async function addEvent(page: Page, day: string, title: string, fillOtherFields: PageAction = async () => {}) {
  await open(page, `/calendar?month=${day.slice(0, 7)}&day=${day}`)
  await page.getByRole('textbox', { name: 'タイトル' }).fill(title)
  await fillOtherFields(page)
  await page.getByRole('button', { name: '追加する' }).click()
  await expect(page.locator('[data-notice=done]')).toContainText('予定を追加しました')
}
/** Fills in the RSVP fields of a new event. */
export const fillRsvpFields =
  (capacity: string, deadline = ''): PageAction =>
  async (page) => {
    await page.getByRole('checkbox', { name: 'メンバーの出欠をとる' }).check()
    await fillIn(page, { '定員（任意）': capacity, '締切の日（任意）': deadline })
  }
/** Returns an unused day, because a second special day on the same date would need a confirmation. */
const getUnusedDay = () => addDays('2040-01-01', nextNumber())
/** Returns the ID of the open event. */
export const getEventId = (page: Page) => new URL(page.url()).searchParams.get('event') ?? ''
async function changeEvent(page: Page) {
  const form = { intent: 'save', id: getEventId(page), version: '1', day: '2031-05-05', title: 'ほかの方の催し' }
  await post(page, '/calendar', form)
}

/** Closes an unused day. Returns the day. */
export async function createSpecialDay(page: Page) {
  const day = getUnusedDay()
  await post(page, '/bussinessdays', { intent: 'special', first: day, reason: '臨時休業', ...noHourFields })
  return day
}

async function closeToday(page: Page) {
  const html = await (await page.request.get('/today')).text()
  const readField = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? ''
  await post(page, '/today', { intent: 'close', day: readField('day'), version: readField('version') })
}

const getNoticeForm = (page: Page) => page.locator('form', { has: page.locator('button[value=words]') })

// A text beside the hours table would need a confirmation at each save.
async function clearHoursText(page: Page) {
  await post(page, '/site', { ...(await readGuideSettings(page)), hoursInWords: '' })
}

const week = Object.fromEntries(
  scheduleRows.flatMap((row) =>
    Object.entries({ ...noHourFields, open_or_close: 'open' }).map(([name, value]) => [`${row}.${name}`, value]),
  ),
)

/** Returns the test data of a weekly hours form. `of` is the group of hours, `first` is its first field. */
function weekForm(name: string, { at, of, first }: Record<'at' | 'of' | 'first', string>): Form {
  const choose = (page: Page, time: string, value: string) =>
    page.getByLabel(`${of} 第1部（朝の部） ${time}`).selectOption(value)
  return {
    file: 'hours/week-form.tsx',
    name,
    path: async (page) => {
      await clearHoursText(page)
      return at
    },
    invalid: {
      make: async (page) => {
        for (const part of ['時', '分'])
          for (const edge of ['開始', '終了']) await choose(page, `${edge}の${part}`, part === '時' ? '10' : '00')
      },
      text: '開始と終了が同じ時刻です。',
      focus: `[name="${first}"]`,
    },
    fill: (page) => choose(page, '終了の時', '12'),
    send: press(/^(?:保存する|編集する|スケジュールを登録する)$/),
    failure: 'データの保存に失敗しました。',
    done: '営業時間を保存しました。',
    resultUrl: /\/calendar$/,
    focus: '#main',
  }
}

export const formsOfDays: Form[] = [
  {
    file: 'forms/settings-form.tsx',
    name: 'a new notice',
    path: '/notices/new/add',
    invalid: {
      make: (page) => field(page, 'お知らせの文').fill(' '),
      text: 'お知らせの文を入力してください',
      focus: '[name=text]',
    },
    fill: async (page) => {
      await field(page, 'お知らせの文').fill(uniqueName('歩くお知らせ'))
      await page.getByLabel('表示の始まり').fill('2040-01-01T00:00')
    },
    send: press('追加する'),
    done: 'お知らせを追加しました。',
    resultUrl: /\/notices#notice-/,
    focus: 'h1',
  },
  {
    file: 'owner/day-to-change.tsx',
    name: 'closing today',
    path: '/today',
    send: press(/臨時休業/),
    failure: 'データの保存に失敗しました。',
    done: '本日を「臨時休業」にしました。',
    focus: 'button[value=close]',
  },
  {
    file: 'owner/day-to-change.tsx',
    name: 'other hours for today',
    path: '/today',
    fill: async (page) => {
      await unfold(page, '時間変更')
      await choose(page, { '本日 第1部（朝の部） 開始の時': '10', '本日 第1部（朝の部） 終了の時': '12' })
    },
    send: press('この時間にする'),
    failure: 'データの保存に失敗しました。',
    done: /^本日を「.*」にしました。/,
    focus: 'h1',
  },
  {
    file: 'owner/day-to-change.tsx',
    name: 'the notice of a closed day',
    path: async (page) => {
      await closeToday(page)
      return '/today'
    },
    invalid: {
      make: (page) => getNoticeForm(page).getByLabel('詳しい理由').fill('長'.repeat(21)),
      text: '詳しい理由は20文字までです',
      focus: 'input[name=cause]',
    },
    fill: (page) => getNoticeForm(page).getByLabel('詳しい理由').fill('法事のため'),
    send: press('お知らせを保存する'),
    done: '本日のお知らせを保存しました。',
    focus: 'button[value=words]',
  },
  {
    ...weekForm('the weekly hours', { at: '/bussinessdays', of: '営業時間', first: 'group1.starttime1_hour' }),
    walk: 'fields that the browser validates, and the failure sentence of the specification',
    conflict: {
      make: async (page) =>
        post(page, '/bussinessdays', { intent: 'week', ...week, version: await readHiddenField(page, 'version') }),
      text: 'ほかの方が先に保存しました。',
    },
  },
  weekForm('the weekly hours by day', { at: '/bussinessdays?by=day', of: '日曜日', first: '日曜日.starttime1_hour' }),
  {
    file: 'hours/special-days-form.tsx',
    name: 'a special day',
    path: '/bussinessdays?table=special',
    invalid: {
      make: async (page) => {
        await page.getByLabel('期間や繰り返しで').check()
        await page.getByLabel('終了日の年').selectOption('2025')
      },
      text: '終了日は開始日より後にしてください',
      focus: '[name=lastYear]',
    },
    fill: async (page) => {
      await page.getByLabel('期間や繰り返しで').uncheck()
      for (const [index, part] of getUnusedDay().split('-').entries()) {
        await page.getByLabel(`日付の${'年月日'[index]}`).selectOption(String(Number(part)))
      }
    },
    send: press('スケジュールを登録する'),
    failure: 'データの保存に失敗しました。',
    done: '営業時間を保存しました。',
    resultUrl: /\/calendar\?month=[\d-]+$/,
    focus: '#main',
  },
  {
    file: 'hours/special-days-form.tsx',
    name: 'removing a special day',
    path: async (page) => `/bussinessdays?table=special&day=${await createSpecialDay(page)}`,
    send: press('この日を通常の営業に戻す'),
    failure: 'データの保存に失敗しました。',
    done: '営業時間を保存しました。',
    resultUrl: /\/calendar\?month=[\d-]+$/,
    focus: '#main',
  },
  {
    file: 'calendar/add-event.tsx',
    name: 'a new event',
    walk: 'a form in a dialog that stays open and resets its fields',
    path: async () => {
      const day = getUnusedDay()
      return `/calendar?month=${day.slice(0, 7)}&day=${day}`
    },
    fill: (page) => field(page, 'タイトル').fill(uniqueName('歩く催し')),
    send: press('追加する'),
    done: '予定を追加しました。',
    focus: 'button[value=add]',
  },
  {
    file: 'calendar/event-editing.tsx',
    name: 'an event',
    walk: 'a form in a dialog that closes after the save',
    path: async (page) => (await createEvent(page)).path,
    fill: async (page) => {
      await button(page, '編集する').click()
      await field(page.getByRole('dialog'), 'タイトル').fill(uniqueName('直した催し'))
    },
    send: press('保存する'),
    conflict: { make: changeEvent, text: 'ほかの方が先に保存しました。' },
    done: '予定を保存しました。',
    focus: '#month',
  },
  {
    file: 'calendar/event-editing.tsx',
    name: 'moving an event',
    path: async (page) => (await createEvent(page)).path,
    fill: async (page) => {
      await button(page, '編集する').click()
      await page.getByLabel('日付を変更する').fill('2031-05-06')
    },
    send: press('この日に変更する'),
    done: '日付を変更しました。',
    focus: '#month',
  },
  {
    file: 'calendar/calendar-page.tsx',
    name: 'the deletion of an event',
    walk: 'results in an alert dialog',
    path: async (page) => (await createEvent(page)).path,
    send: press('削除する'),
    confirm: '削除する',
    hasAlert: true,
    failure: 'イベントの削除に失敗しました。',
    done: 'イベントを削除しました',
    focus: '#month',
  },
]
