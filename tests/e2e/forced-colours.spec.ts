import type { Page } from '@playwright/test'
import { test } from './editors.ts'
import { createEvent, createSpecialDay } from './forms-of-days.ts'
import { createPage } from './forms-of-pages.ts'
import { expect, navigate, open, phone } from './visitors.ts'

// Forced colours remove shadows and backgrounds, so a state needs another sign than a shadow or a background.
test.use({ contextOptions: { reducedMotion: 'reduce', forcedColors: 'active' } })
/** Selectors of the elements in the state, and of the elements in another state. ` ::` adds a pseudo-element. */
type State = { active: string; inactive: string }
type StatesByName = Record<string, State>

const turnOnFirstSwitch = (page: Page) =>
  page
    .getByRole('switch')
    .first()
    .evaluate((element) => element.setAttribute('aria-checked', 'true'))
const day = 'td[data-day]'
const legend = 'ul[aria-label="凡例"] li'
const weekdays = 'fieldset[data-place="1"] label'
const tools = '[aria-pressed]'

/** Returns the selectors of the current element of `all`, and of the other elements. */
const selectCurrent = (all: string, attribute = 'aria-current') => ({
  active: `${all}[${attribute}]`,
  inactive: `${all}:not([${attribute}])`,
})
const selectCurrentLink = (navigation: string) => selectCurrent(`nav[aria-label="${navigation}"] a`)

const dining: StatesByName = {
  'the sold-out switch that is on': {
    active: '[role=switch][aria-checked=true] > span',
    inactive: '[role=switch][aria-checked=false] > span',
  },
  'the knob of a sold-out switch that is off': {
    active: '[role=switch][aria-checked=false] > span ::after',
    inactive: '[role=switch][aria-checked=true] > span ::after',
  },
}
const monthWithEvent: StatesByName = {
  'a closed day': {
    active: `${day}:has-text("臨時休業") ::before`,
    inactive: `${day}:not(:has-text("休")) ::before`,
  },
  'an event in the month': selectCurrent(`${day} a`, 'title'),
  'the current page in the toolbar': selectCurrent('nav[class*=bar] a'),
}
const hoursSettings: StatesByName = {
  'the current tab of the hours settings': selectCurrentLink('設定の表'),
  'a selected weekday of a group': {
    active: `${weekdays} input:checked + span`,
    inactive: `${weekdays} input:not(:checked) + span`,
  },
}
const ownerPages: Record<string, StatesByName> = {
  '/bussinessdays': hoursSettings,
  '/inbox': { 'the current filter of the inbox': selectCurrentLink('お問い合わせの種類') },
  '/today': { 'the current tab of /today': selectCurrentLink('営業を設定する日') },
  '/site': {
    'the selected palette': {
      active: 'fieldset label:has([name=palette]:checked)',
      inactive: 'fieldset label:has([name=palette]:not(:checked))',
    },
  },
  '/membercreate/applicant': {
    'the current step of a registration': {
      active: '[aria-current=step] > [data-mincho]',
      inactive: 'ol li:not([aria-current]) > [data-mincho]',
    },
  },
}
const textEditor: StatesByName = {
  'a pressed tool of the text editor': {
    active: `${tools}[aria-pressed=true]`,
    inactive: `${tools}[aria-pressed=false]`,
  },
}
const home: StatesByName = {
  'the bullet of the shown slide': {
    active: '[aria-roledescription="スライドショー"] [aria-current=true] ::after',
    inactive: '[aria-roledescription="スライドショー"] [aria-current=false] ::after',
  },
  'the bullet of the shown scene': {
    active: 'section:not([aria-roledescription="スライドショー"]) button[aria-current=true] ::after',
    inactive: 'section:not([aria-roledescription="スライドショー"]) button[aria-current=false] ::after',
  },
}
const menu: StatesByName = { 'the current page in the menu': selectCurrent('#navigation a') }
const selectedDay: StatesByName = {
  'the selected day': {
    active: `${day}[aria-selected=true] ::after`,
    inactive: `${day}[aria-selected=false] ::after`,
  },
}

test('distinguishes each state on the pages of the owner in forced colours', async ({ owner }) => {
  const page = await owner()
  await open(page, '/dining')
  await turnOnFirstSwitch(page)
  await expectDistinctLooks(page, dining)
  for (const [path, states] of Object.entries(ownerPages)) {
    await navigate(page, path)
    await expectDistinctLooks(page, states)
  }
  const { event } = await createEvent(page, { day: await createSpecialDay(page) })
  await navigate(page, `/calendar?month=${event.day.slice(0, 7)}`)
  await expectDistinctLooks(page, monthWithEvent)
  await navigate(page, await createPage(page))
  await page
    .locator(tools)
    .first()
    .evaluate((element) => element.setAttribute('aria-pressed', 'true'))
  await expectDistinctLooks(page, textEditor)
})

test('distinguishes each state and outlines the focus on the pages of a guest in forced colours', async ({ page }) => {
  await open(page, '/')
  await expectDistinctLooks(page, home)
  await expectFocusOutlines(page)
  await navigate(page, '/dining')
  await expectDistinctLooks(page, menu)
  await expectFocusOutlines(page)
  await navigate(page, '/videoproduction')
  await expectFocusOutlines(page)
  await navigate(page, '/calendar')
  await expectDistinctLooks(page, { today: selectCurrent(day) })
  await expectFocusOutlines(page)
  await page.locator(`${day}:not([aria-current]) a[href*="day="]`).first().click()
  await expectDistinctLooks(page, selectedDay)
  await page.getByRole('link', { name: '年を選ぶ' }).click()
  await expectDistinctLooks(page, { 'the current year in the year picker': selectCurrent('dialog li a') })
})

test('draws every symbol of the legend differently in forced colours', async ({ page }) => {
  await page.setViewportSize(phone)
  await open(page, '/calendar')
  const count = await page.locator(legend).count()
  const looks = await Promise.all(
    Array.from({ length: count }, (_, index) => getLooks(page, `${legend}:nth-child(${index + 1}) ::before`)),
  )
  expect(new Set(looks.flat()).size).toBe(count)
})

async function expectDistinctLooks(page: Page, states: StatesByName) {
  for (const [name, { active, inactive }] of Object.entries(states)) {
    // A state that has just changed has a transition.
    await expect.poll(() => getLooks(page, inactive), `the other elements beside ${name} look the same`).toHaveLength(1)
    const otherLooks = await getLooks(page, inactive)
    const [look = '', more] = await getLooks(page, active)
    expect(more, name).toBeUndefined()
    expect(otherLooks, name).not.toContain(look)
    expect(look, `${name} has a border or a background`).not.toBe('')
  }
}

/** Presses Tab ten times. Asserts that each focused element has the outline of the system. */
async function expectFocusOutlines(page: Page) {
  for (let press = 0; press < 10; press += 1) {
    await page.keyboard.press('Tab')
    const [outline, highlight] = await page.evaluate(() => {
      const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(document.activeElement ?? document.body)
      const probe = document.body.appendChild(document.createElement('i'))
      probe.style.color = 'Highlight'
      const { color } = getComputedStyle(probe)
      probe.remove()
      return [`${outlineStyle} ${outlineWidth} ${outlineColor}`, color]
    })
    expect(outline, page.url()).toBe(`solid 3px ${highlight}`)
  }
}

/** Returns the distinct borders and backgrounds of these elements. An element without border and background is ''. */
function getLooks(page: Page, selector: string) {
  const [element = '', pseudo] = selector.split(' ::')
  return page
    .locator(element)
    .first()
    .waitFor({ state: 'attached' })
    .then(() =>
      page.locator(element).evaluateAll((elements, pseudo) => {
        const looks = elements.map((each) => {
          const style = getComputedStyle(each, pseudo && `::${pseudo}`)
          if (pseudo && style.content === 'none') return ''
          const edges = (['Top', 'Right', 'Bottom', 'Left'] as const).map((edge) => {
            const width = Number.parseFloat(style[`border${edge}Width`])
            const colour = style[`border${edge}Color`]
            return width > 0 && colour !== 'rgb(255, 255, 255)' ? `${edge} ${width} ${colour}` : ''
          })
          const ground = /^rgb\(255, 255, 255\)$|^rgba\(.*, 0\)$/.test(style.backgroundColor)
            ? ''
            : style.backgroundColor
          const pattern = style.backgroundImage === 'none' ? '' : style.backgroundImage
          return [...edges, ground, pattern, ground && pseudo && style.height].filter(Boolean).join(', ')
        })
        return [...new Set(looks)]
      }, pseudo ?? ''),
    )
}
