import type { Page } from '@playwright/test'
import { expect, phone } from './visitors.ts'

export const testedViewports = [phone, { width: 1280, height: 800 }]

/** Asserts that nothing of the open page is cut off at 200 % text size, by default on a phone and a small desktop. */
export async function expectFitsAtDoubleTextSize(page: Page, viewports = testedViewports) {
  await doubleTextSize(page)
  for (const size of viewports) {
    await page.setViewportSize(size)
    const getOverflow = () => page.evaluate(findOverflow)
    await expect
      .poll(getOverflow, `${page.url()}, ${size.width} px`)
      .toEqual({ wider: 0, outside: [], overlapping: [] })
  }
}

/** Doubles the text size, as a browser setting does. */
export function doubleTextSize(page: Page) {
  return page.evaluate(() => {
    document.documentElement.style.setProperty('font-size', '200%')
  })
}

/** Returns the page overflow in pixels, the elements that are cut off, and the header controls that overlap. */
export function findOverflow() {
  const width = document.documentElement.clientWidth
  const isVisible = (element: Element) =>
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
    getComputedStyle(element).clipPath === 'none' &&
    !element.closest('.swiper, .visually-hidden, .skip-link')
  const hasText = ({ childNodes }: Element) =>
    [...childNodes].some(({ nodeName, textContent }) => nodeName === '#text' && textContent?.trim())
  const outside = [...document.querySelectorAll('body *')].filter((element) => {
    if (!isVisible(element) || !(hasText(element) || element.matches('a, button, input, select, textarea, img')))
      return false
    const { left, right } = element.getBoundingClientRect()
    const cut =
      getComputedStyle(element).overflowX !== 'visible' &&
      element.scrollWidth > element.clientWidth + 2 &&
      !element.matches('select, input, textarea')
    return left < -1 || right > width + 1 || cut
  })
  const controls = [...document.querySelectorAll('header a, header button')].filter(isVisible)
  const overlapping = controls.filter((one, index) =>
    controls.slice(index + 1).some((other) => {
      const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()]
      return a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1
    }),
  )
  const describeElements = (elements: Element[]) =>
    elements.map(({ tagName, textContent }) => `${tagName} ${textContent}`)
  return {
    wider: Math.max(0, document.documentElement.scrollWidth - innerWidth),
    outside: describeElements(outside),
    overlapping: describeElements(overlapping),
  }
}
