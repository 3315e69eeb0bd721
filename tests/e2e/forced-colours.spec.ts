import type { Page } from '@playwright/test'
import { test } from './editors.ts'
import { newEvent, newSpecialDay } from './forms-of-days.ts'
import { newPage } from './forms-of-pages.ts'
import { expect, open, phone } from './visitors.ts'

// Forced colours remove shadows and backgrounds, so a state that only they show would be invisible.
test.use({ contextOptions: { reducedMotion: 'reduce', forcedColors: 'active' } })
test.slow()

type State = {
  path: string | ((page: Page) => Promise<string>)
  as?: 'guest'
  first?: (page: Page) => Promise<unknown>
  /** Selectors of the elements in the state, and of those that are not. ` ::` adds a pseudo-element. */
  is: string
  isNot: string
}

const switched = (page: Page) =>
  page
    .getByRole('switch')
    .first()
    .evaluate((element) => element.setAttribute('aria-checked', 'true'))
const day = 'td[data-day]'
const legend = 'ul[aria-label="印の意味"] li'
const places = 'fieldset[data-place="1"] label'
const tools = '[aria-pressed]'

/** Returns the selectors of the current element of `all`, and of the others. */
const currentOf = (all: string, attribute = 'aria-current') => ({
  is: `${all}[${attribute}]`,
  isNot: `${all}:not([${attribute}])`,
})
const linkOf = (navigation: string) => currentOf(`nav[aria-label="${navigation}"] a`)

const states: Record<string, State> = {
  'the sold-out switch that is on': {
    path: '/dining',
    first: switched,
    is: '[role=switch][aria-checked=true] > span',
    isNot: '[role=switch][aria-checked=false] > span',
  },
  'the knob of a sold-out switch that is off': {
    path: '/dining',
    first: switched,
    is: '[role=switch][aria-checked=false] > span ::after',
    isNot: '[role=switch][aria-checked=true] > span ::after',
  },
  today: { path: '/calendar', as: 'guest', ...currentOf(day) },
  'the selected day': {
    path: '/calendar?day=2026-11-20',
    as: 'guest',
    is: `${day}[aria-selected=true] ::after`,
    isNot: `${day}[aria-selected=false] ::after`,
  },
  'a closed day': {
    path: async (page) => `/calendar?month=${(await newSpecialDay(page)).slice(0, 7)}`,
    is: `${day}:has-text("臨時休業") ::before`,
    isNot: `${day}:not(:has-text("休")) ::before`,
  },
  'an event in the month': {
    path: async (page) => (await newEvent(page)).path.replace(/&.*/, ''),
    ...currentOf(`${day} a`, 'title'),
  },
  'the current year in the year picker': { path: '/calendar?pick', as: 'guest', ...currentOf('dialog li a') },
  'the current page in the menu': { path: '/dining', as: 'guest', ...currentOf('#navigation a') },
  'the current page in the toolbar': { path: '/calendar', ...currentOf('nav[class*=bar] a') },
  'the current tab of the hours settings': { path: '/bussinessdays', ...linkOf('設定の表') },
  'the current filter of the inbox': { path: '/inbox', ...linkOf('お問い合わせの種類') },
  'the current tab of /today': { path: '/today', ...linkOf('どの日の営業か') },
  'a selected weekday of a group': {
    path: '/bussinessdays',
    is: `${places} input:checked + span`,
    isNot: `${places} input:not(:checked) + span`,
  },
  'the selected palette': {
    path: '/site',
    is: 'fieldset label:has([name=palette]:checked)',
    isNot: 'fieldset label:has([name=palette]:not(:checked))',
  },
  'the bullet of the shown slide': {
    path: '/',
    as: 'guest',
    is: '[aria-roledescription="スライドショー"] [aria-current=true] ::after',
    isNot: '[aria-roledescription="スライドショー"] [aria-current=false] ::after',
  },
  'the bullet of the shown scene': {
    path: '/',
    as: 'guest',
    is: 'section:not([aria-roledescription="スライドショー"]) button[aria-current=true] ::after',
    isNot: 'section:not([aria-roledescription="スライドショー"]) button[aria-current=false] ::after',
  },
  'the current step of a registration': {
    path: '/membercreate/applicant',
    is: '[aria-current=step] > [data-mincho]',
    isNot: 'ol li:not([aria-current]) > [data-mincho]',
  },
  'a pressed tool of the text editor': {
    path: newPage,
    first: (page) =>
      page
        .locator(tools)
        .first()
        .evaluate((element) => element.setAttribute('aria-pressed', 'true')),
    is: `${tools}[aria-pressed=true]`,
    isNot: `${tools}[aria-pressed=false]`,
  },
}

for (const [name, { path, as, first, is, isNot }] of Object.entries(states))
  test(`distinguishes ${name} in forced colours`, async ({ page: guest, owner }) => {
    const page = as === 'guest' ? guest : await owner()
    await page.goto('/api/health')
    await open(page, typeof path === 'string' ? path : await path(page))
    await first?.(page)
    expect(await looksOf(page, isNot), 'that the others look the same').toHaveLength(1)
    const [shown = '', more] = await looksOf(page, is)
    expect(more).toBeUndefined()
    expect(await looksOf(page, isNot)).not.toContain(shown)
    expect(shown, 'that it has a border or a ground').not.toBe('')
  })

test('draws every symbol of the legend differently in forced colours', async ({ page }) => {
  await page.setViewportSize(phone)
  await open(page, '/calendar')
  const count = await page.locator(legend).count()
  const looks = await Promise.all(
    Array.from({ length: count }, (_, index) => looksOf(page, `${legend}:nth-child(${index + 1}) ::before`)),
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

/** Returns the distinct borders and backgrounds of these elements. '' is an element without any. */
function looksOf(page: Page, selector: string) {
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
