import type { Page } from '@playwright/test'
import { test } from './editors.ts'
import { createEvent, createSpecialDay } from './forms-of-days.ts'
import { createPage } from './forms-of-pages.ts'
import { expect, open, phone } from './visitors.ts'

// Forced colours remove shadows and backgrounds, so a state needs another sign than a shadow or a background.
test.use({ contextOptions: { reducedMotion: 'reduce', forcedColors: 'active' } })
test.slow()

type State = {
  path: string | ((page: Page) => Promise<string>)
  visitor?: 'guest'
  prepare?: (page: Page) => Promise<unknown>
  /** Selectors of the elements in the state, and of the elements in another state. ` ::` adds a pseudo-element. */
  active: string
  inactive: string
}

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

const states: Record<string, State> = {
  'the sold-out switch that is on': {
    path: '/dining',
    prepare: turnOnFirstSwitch,
    active: '[role=switch][aria-checked=true] > span',
    inactive: '[role=switch][aria-checked=false] > span',
  },
  'the knob of a sold-out switch that is off': {
    path: '/dining',
    prepare: turnOnFirstSwitch,
    active: '[role=switch][aria-checked=false] > span ::after',
    inactive: '[role=switch][aria-checked=true] > span ::after',
  },
  today: { path: '/calendar', visitor: 'guest', ...selectCurrent(day) },
  'the selected day': {
    path: '/calendar?day=2026-11-20',
    visitor: 'guest',
    active: `${day}[aria-selected=true] ::after`,
    inactive: `${day}[aria-selected=false] ::after`,
  },
  'a closed day': {
    path: async (page) => `/calendar?month=${(await createSpecialDay(page)).slice(0, 7)}`,
    active: `${day}:has-text("臨時休業") ::before`,
    inactive: `${day}:not(:has-text("休")) ::before`,
  },
  'an event in the month': {
    path: async (page) => (await createEvent(page)).path.replace(/&.*/, ''),
    ...selectCurrent(`${day} a`, 'title'),
  },
  'the current year in the year picker': { path: '/calendar?pick', visitor: 'guest', ...selectCurrent('dialog li a') },
  'the current page in the menu': { path: '/dining', visitor: 'guest', ...selectCurrent('#navigation a') },
  'the current page in the toolbar': { path: '/calendar', ...selectCurrent('nav[class*=bar] a') },
  'the current tab of the hours settings': { path: '/bussinessdays', ...selectCurrentLink('設定の表') },
  'the current filter of the inbox': { path: '/inbox', ...selectCurrentLink('お問い合わせの種類') },
  'the current tab of /today': { path: '/today', ...selectCurrentLink('営業を設定する日') },
  'a selected weekday of a group': {
    path: '/bussinessdays',
    active: `${weekdays} input:checked + span`,
    inactive: `${weekdays} input:not(:checked) + span`,
  },
  'the selected palette': {
    path: '/site',
    active: 'fieldset label:has([name=palette]:checked)',
    inactive: 'fieldset label:has([name=palette]:not(:checked))',
  },
  'the bullet of the shown slide': {
    path: '/',
    visitor: 'guest',
    active: '[aria-roledescription="スライドショー"] [aria-current=true] ::after',
    inactive: '[aria-roledescription="スライドショー"] [aria-current=false] ::after',
  },
  'the bullet of the shown scene': {
    path: '/',
    visitor: 'guest',
    active: 'section:not([aria-roledescription="スライドショー"]) button[aria-current=true] ::after',
    inactive: 'section:not([aria-roledescription="スライドショー"]) button[aria-current=false] ::after',
  },
  'the current step of a registration': {
    path: '/membercreate/applicant',
    active: '[aria-current=step] > [data-mincho]',
    inactive: 'ol li:not([aria-current]) > [data-mincho]',
  },
  'a pressed tool of the text editor': {
    path: createPage,
    prepare: (page) =>
      page
        .locator(tools)
        .first()
        .evaluate((element) => element.setAttribute('aria-pressed', 'true')),
    active: `${tools}[aria-pressed=true]`,
    inactive: `${tools}[aria-pressed=false]`,
  },
}

for (const [name, { path, visitor, prepare, active, inactive }] of Object.entries(states))
  test(`distinguishes ${name} in forced colours`, async ({ page: guest, owner }) => {
    const page = visitor === 'guest' ? guest : await owner()
    await page.goto('/api/health')
    await open(page, typeof path === 'string' ? path : await path(page))
    await prepare?.(page)
    expect(await getLooks(page, inactive), 'that the others look the same').toHaveLength(1)
    const [look = '', more] = await getLooks(page, active)
    expect(more).toBeUndefined()
    expect(await getLooks(page, inactive)).not.toContain(look)
    expect(look, 'that it has a border or a ground').not.toBe('')
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

test('outlines the focused element in forced colours', async ({ page }) => {
  for (const path of ['/', '/calendar', '/dining', '/videoproduction']) {
    await open(page, path)
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
      expect(outline, path).toBe(`solid 3px ${highlight}`)
    }
  }
})

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
