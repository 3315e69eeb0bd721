import type { Locator, Page } from '@playwright/test'
import { listCards, saveCard } from '../../app/cards/cards.server.ts'
import { author, test } from './site-with-data.ts'
import { addBusySwitch, delayRequests, desktop, expect, open, phone, stopClock } from './visitors.ts'

test.use({ contextOptions: { reducedMotion: 'no-preference' } })

const story = [
  ['たくさんの人の', '笑顔が見たくて'],
  ['東京の三つ星の店で', '腕を磨いた日々'],
  ['目には見えない手間が', '味の奥行きになる'],
] as const
const slideshow = (page: Page) => page.getByRole('region', { name: '店の物語' })
const slide = (page: Page, number: number) => page.getByRole('group', { name: `3枚中${number}枚目` })

const slider = (page: Page) => page.getByRole('region', { name: '店の風景' })
const trio = (page: Page, number: number) => page.getByRole('group', { name: `6組中${number}組目` })

test('shows the story in slides that advance, and that follow a click, a drag and the pause button', async ({
  page,
}) => {
  await openWithPausedFades(page)

  await test.step('shows the story in three slides of two lines', async () => {
    await expect(slideshow(page).getByRole('button', { name: '枚目を見る' })).toHaveCount(3)
    for (const [index, lines] of story.entries()) {
      await slideshow(page)
        .getByRole('button', { name: `${index + 1}枚目を見る` })
        .click()
      await expect(slide(page, index + 1).getByRole('paragraph')).toHaveText(lines)
      for (const line of lines) await expect(slide(page, index + 1).getByText(line)).toBeInViewport()
      if (index > 0) await finishFades(slideshow(page), 2500)
    }
  })

  await test.step('advances 4.5 seconds after each fade, and loops', async () => {
    for (const shown of [3, 1, 2, 3]) {
      const next = (shown % 3) + 1
      await expectSlideAdvances(page, shown, next)
      await page.clock.runFor(4500)
      await expectSlide(page, next)
      await finishFades(slideshow(page), 2500)
    }
  })

  await test.step('continues after a click, a long drag or a drag of a few pixels', async () => {
    await slideshow(page).getByRole('button', { name: '3枚目を見る' }).click()
    await finishFades(slideshow(page), 2500)
    await page.clock.runFor(4500)
    await expectSlide(page, 1)
    await finishFades(slideshow(page), 2500)

    await drag(page, slideshow(page), 400)
    await expectSlide(page, 3)
    await finishFades(slideshow(page), 2500)
    await drag(page, slideshow(page), -400)
    await expectSlide(page, 1)
    await finishFades(slideshow(page), 2500)
    await page.clock.runFor(4500)
    await expectSlide(page, 2)
    await finishFades(slideshow(page), 2500)

    await drag(page, slideshow(page), 6)
    await expectSlide(page, 2)
    await page.clock.runFor(4500)
    await expectSlide(page, 3)
    await finishFades(slideshow(page), 2500)
  })

  await test.step('stops and starts by its button, and reveals a letter every 0.1 seconds', async () => {
    await slideshow(page).getByRole('button', { name: '1枚目を見る' }).click()
    await finishFades(slideshow(page), 2500)
    const second = slide(page, 2).getByRole('paragraph').first()
    for (const line of await slide(page, 1).getByRole('paragraph').all())
      expect(await countVisibleLetters(line, [150, 250, 750])).toEqual([1, 2, 7])
    expect(await countVisibleLetters(second, [150])).toEqual([])
    await slideshow(page).getByRole('button', { name: 'スライドショーを止める' }).click()
    await page.clock.runFor(20_000)
    await expectSlide(page, 1)
    await slideshow(page).getByRole('button', { name: 'スライドショーを動かす' }).click()
    await expectSlideAdvances(page, 1, 2)
    await expect(slideshow(page).getByRole('button', { name: 'スライドショーを止める' })).toBeVisible()
    await expect.poll(() => countVisibleLetters(second, [150, 250, 950])).toEqual([1, 2, 9])
    expect(await countVisibleLetters(slide(page, 1).getByRole('paragraph').first(), [150])).toEqual([])
  })
})

test('pauses the slideshow while the link of a slide has the keyboard focus', async ({ page, db }) => {
  const [slideOfStory] = await listCards(db, 'home')
  if (!slideOfStory) throw new Error('Expected a slide')
  await saveCard(db, slideOfStory, { linkUrl: '/dining' }, author())
  const link = slide(page, 1).getByRole('link')
  // The site detects a change by another process within 250 ms.
  await expect
    .poll(async () => (await page.request.get('/')).text())
    .toMatch(/aria-label="3枚中1枚目"(?:(?!aria-label="3枚中2枚目").)*href="\/dining"/s)
  await openWithPausedFades(page)
  await expect(link).toHaveCount(1)
  await page.clock.runFor(4000)
  await page.keyboard.press('Shift')
  await link.focus()
  await page.clock.runFor(60_000)
  await expectSlide(page, 1)
  await expect(link).toBeFocused()
  // The button still has the label for stopping, because the button was not pressed.
  await slideshow(page).getByRole('button', { name: 'スライドショーを止める' }).focus()
  await expectSlideAdvances(page, 1, 2)
})

test('starts the sliders at the slides that were chosen before their script loaded', async ({ page }) => {
  const release = await delayRequests(page, '**/assets/swiper-*.js')
  await page.setViewportSize(phone)
  await stopClock(page)
  await open(page, '/')
  await slideshow(page).getByRole('button', { name: '3枚目を見る' }).click()
  await slider(page).getByRole('button', { name: '次の写真' }).click()
  await slider(page).getByRole('button', { name: '写真の列を止める' }).click()
  await expectSlide(page, 3)
  release()
  await expect(page.locator('.swiper-initialized')).toHaveCount(2)
  await expect(slide(page, 3)).toHaveCSS('opacity', '1')
  await expect(trio(page, 2)).toHaveCSS('opacity', '1')
  await page.clock.runFor(4500)
  await expectSlide(page, 1)
  await expectTrio(page, 2)
})

test('reveals one letter of a title every 0.1 seconds', async ({ page }) => {
  await pauseLetters(page)
  await open(page, '/municipalarchitect')
  const title = page.getByRole('heading', { level: 1 })
  await expect(title).toHaveText('建築に関するさまざまな課題を解決するしくみづくり')
  // The kana of the title are narrower than its kanji, so the number of visible letters is approximate.
  const [few = 0, many = 0] = await countVisibleLetters(title, [450, 1950])
  expect(Math.abs(few - 5)).toBeLessThanOrEqual(1)
  expect(Math.abs(many - 20)).toBeLessThanOrEqual(2)
})

test('shows the scenes in threes that advance, and that follow the arrows, the bullets, a drag and the pause button', async ({
  page,
}) => {
  await openWithPausedFades(page)

  await test.step('advance 3 seconds after each fade, and loop', async () => {
    for (const shown of [1, 2, 3, 4, 5, 6]) {
      const next = (shown % 6) + 1
      await expectTrioAdvances(page, shown, next)
      await page.clock.runFor(3000)
      await expectTrio(page, next)
      await finishFades(slider(page), 2000)
    }
  })

  await test.step('loop in both directions by the arrows, and move to the position of a clicked bullet', async () => {
    await slider(page).getByRole('button', { name: '前の写真' }).click()
    await expectTrio(page, 6)
    await expect(trio(page, 6)).toHaveText('鴨川の夕暮れ朝の店先カウンター')
    await finishFades(slider(page), 2000)
    await slider(page).getByRole('button', { name: '次の写真' }).click()
    await expectTrio(page, 1)
    await finishFades(slider(page), 2000)
    await slider(page).getByRole('button', { name: '次の写真' }).click()
    await expectTrio(page, 2)
    await finishFades(slider(page), 2000)

    await slider(page).getByRole('button', { name: '4組目の写真を見る' }).click()
    await expectTrio(page, 4)
    await finishFades(slider(page), 2000)
    await expect(trio(page, 4)).toHaveCSS('opacity', '1')
    await expect(trio(page, 4)).toHaveText('おくどさん丸窓の席鴨川の夕暮れ')
  })

  await test.step('advance after a drag, and stop and start by their button', async () => {
    const handle = slider(page).locator('.swiper-scrollbar-drag')
    await page.clock.runFor(2900)
    await drag(page, handle, 1000)
    await expectTrio(page, 6)
    await expect(trio(page, 6)).toHaveCSS('opacity', '1')
    await expectTrioAdvances(page, 6, 1)
    await finishFades(slider(page), 2000)

    await slider(page).getByRole('button', { name: '写真の列を止める' }).click()
    await page.clock.runFor(20_000)
    await expectTrio(page, 1)
    await slider(page).getByRole('button', { name: '写真の列を動かす' }).click()
    await page.clock.runFor(3000)
    await expectTrio(page, 2)
    await finishFades(slider(page), 2000)
  })

  await test.step('show three images at each of six positions on a desktop and on a phone', async () => {
    await slider(page).getByRole('button', { name: '写真の列を止める' }).click()
    await slider(page).getByRole('button', { name: '前の写真' }).click()
    await finishFades(slider(page), 2000)
    await expect(slider(page).getByRole('button', { name: '組目の写真を見る' })).toHaveCount(6)
    await expect(trio(page, 1)).toHaveText('朝の店先カウンター坪庭')
    for (const screen of [desktop, phone]) {
      await page.setViewportSize(screen)
      const pictures = () => trio(page, 1).getByRole('figure').evaluateAll(getBoxes)
      const right = async () => {
        // Swiper reads its new size in the next animation frame of the page clock.
        await page.clock.runFor(20)
        return (await pictures())[2]?.right
      }
      await expect.poll(right).toBeLessThanOrEqual(screen.width)
      expect(getGaps(await pictures())).toEqual([5, 5])
      expect((await pictures())[0]?.left).toBeGreaterThanOrEqual(0)
    }
  })
})

test.describe('with reduced motion', () => {
  test.use({ contextOptions: { reducedMotion: 'reduce' } })

  test('shows every letter at once, and advances without a fade when started', async ({ page }) => {
    await openWithPausedFades(page)
    for (const line of await slide(page, 1).getByRole('paragraph').all()) {
      await expect(line.locator('span')).toHaveCSS('animation-name', 'none')
      await expect(line.locator('span')).toHaveCSS('opacity', '1')
    }
    await page.clock.runFor(20_000)
    await expectSlide(page, 1)
    await expectTrio(page, 1)

    await slideshow(page).getByRole('button', { name: 'スライドショーを動かす' }).click()
    for (const [index, next] of [2, 3, 1].entries()) {
      await page.clock.runFor(4500)
      await expectSlide(page, next)
      // A transition of one millisecond is no visible fade.
      await expect.poll(() => page.evaluate(() => window.ended)).toEqual(Array(2 * (index + 1)).fill(1))
      await expect(slide(page, next)).toHaveCSS('opacity', '1')
    }
  })

  test('stays at the first slide if the script of the sliders loads before the pause is rendered', async ({ page }) => {
    await addBusySwitch(page)
    await page.addInitScript(beBusyUntilSwiperStarts)
    await openWithPausedFades(page)
    await expect(slideshow(page).getByRole('button', { name: 'スライドショーを動かす' })).toBeVisible()
    await page.clock.runFor(20_000)
    await expectSlide(page, 1)
    await expectTrio(page, 1)
  })
})

/** Keeps the browser busy from the first query for reduced motion until both sliders have started. */
function beBusyUntilSwiperStarts() {
  const { matchMedia } = window
  window.matchMedia = (query) => {
    if (query.includes('reduced-motion')) beBusy()
    return matchMedia.call(window, query)
  }
  new MutationObserver((_, observer) => {
    if (document.querySelectorAll('.swiper-initialized').length < 2) return
    observer.disconnect()
    window.matchMedia = matchMedia
    beIdle()
  }).observe(document, { subtree: true, attributes: true, attributeFilter: ['class'] })
}

/**
 * Returns the number of letters that are visible at each of these times (in milliseconds), or an empty list if the
 * line is not animated.
 */
function countVisibleLetters(line: Locator, times: number[]) {
  return line.locator('span').evaluate((span, times) => {
    const text = span.firstChild as Text
    const lengths = [...text.data].map((_, index) => {
      const range = new Range()
      range.setStart(text, index)
      range.setEnd(text, index + 1)
      const { width, height } = range.getBoundingClientRect()
      return getComputedStyle(span).writingMode === 'vertical-rl' ? height : width
    })
    return span.getAnimations().flatMap((animation) => {
      animation.pause()
      return times.map((time) => {
        animation.currentTime = time
        const style = getComputedStyle(span)
        const axis = style.writingMode === 'vertical-rl' ? 1 : 0
        const unseen = Number(/rgba\(0, 0, 0, 0\) ([\d.]+)%/.exec(style.maskImage)?.[1]) / 100
        const edge = Number.parseFloat(style.maskPosition.split(' ')[axis] ?? '')
        let left = edge + unseen * Number.parseFloat(style.maskSize) - Number.parseFloat(style.paddingTop)
        return lengths.filter((length) => {
          left -= length
          return left > -length
        }).length
      })
    })
  }, times)
}

async function expectSlide(page: Page, number: number) {
  const bullet = slideshow(page).getByRole('button', { name: `${number}枚目を見る` })
  await expect(bullet).toHaveAttribute('aria-current', 'true')
}

async function expectTrio(page: Page, number: number) {
  const bullet = slider(page).getByRole('button', { name: `${number}組目の写真を見る` })
  await expect(bullet).toHaveAttribute('aria-current', 'true')
}

/** Asserts that a slide stays for 4.5 seconds and is then followed by the next slide. */
async function expectSlideAdvances(page: Page, shown: number, next: number) {
  await page.clock.runFor(4499)
  await expectSlide(page, shown)
  await page.clock.runFor(1)
  await expectSlide(page, next)
}

/** Asserts that three scenes stay for 3 seconds and are then followed by the next three scenes. */
async function expectTrioAdvances(page: Page, shown: number, next: number) {
  await page.clock.runFor(2999)
  await expectTrio(page, shown)
  await page.clock.runFor(1)
  await expectTrio(page, next)
}

declare global {
  interface Window {
    /** The duration in milliseconds of each fade that was not paused. */
    ended: number[]
  }
}

/**
 * Opens home with a stopped clock. The stopped clock does not stop fades, so each fade is paused at its start until
 * `finishFades` is called. A fade of one millisecond is not paused.
 */
async function openWithPausedFades(page: Page) {
  await pauseLetters(page)
  await page.addInitScript(() => {
    window.ended = []
    const fading = (target: EventTarget | null) => target instanceof Element && target.matches('.swiper-slide')
    document.addEventListener('transitionrun', ({ target }) => {
      if (!fading(target)) return
      for (const fade of (target as Element).getAnimations())
        if (Number(fade.effect?.getTiming().duration) > 1) fade.pause()
    })
    document.addEventListener('transitionend', ({ target, elapsedTime }) => {
      // After a change of its size, Swiper repositions the slides with a transition of zero length.
      const took = Math.round(elapsedTime * 1000)
      if (fading(target) && took === 1) window.ended.push(took)
    })
  })
  await stopClock(page)
  await open(page, '/')
  // Swiper restarts its interval when its size changes, as it does when the caption font loads.
  await page.evaluate(async () => void (await document.fonts.ready))
  await expect(page.locator('.swiper-initialized')).toHaveCount(2)
}

/** Pauses the animation of each line at its start, because its letters could all be visible before they are counted. */
function pauseLetters(page: Page) {
  return page.addInitScript(() => {
    document.addEventListener('animationstart', ({ target }) => {
      if (!(target instanceof HTMLSpanElement)) return
      for (const animation of target.getAnimations()) animation.pause()
    })
  })
}

/** Asserts that two slides of a region fade for this duration. Then finishes the paused fades. */
async function finishFades(region: Locator, milliseconds: number) {
  await expect.poll(() => region.evaluate(getPausedFades)).toEqual([milliseconds, milliseconds])
  await region.evaluate(async (element) => {
    const fades = element
      .getAnimations({ subtree: true })
      .filter((animation) => animation instanceof CSSTransition && animation.playState === 'paused')
    await Promise.all(
      fades.map((fade) => {
        const ended = new Promise((resolve) => {
          ;(fade.effect as KeyframeEffect).target?.addEventListener('transitionend', resolve, { once: true })
        })
        fade.finish()
        return ended
      }),
    )
  })
}

function getPausedFades(region: Element) {
  return region
    .getAnimations({ subtree: true })
    .filter((animation) => animation instanceof CSSTransition && animation.playState === 'paused')
    .map(({ effect }) => effect?.getTiming().duration)
}

async function drag(page: Page, handle: Locator, distance: number) {
  await handle.scrollIntoViewIfNeeded()
  const box = await handle.boundingBox()
  if (!box) throw new Error(`Expected ${handle} to be visible`)
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x + distance, y, { steps: 5 })
  await page.mouse.up()
}

function getBoxes(elements: Element[]) {
  return elements.map((element) => {
    const { left, right } = element.getBoundingClientRect()
    return { left, right }
  })
}

function getGaps(boxes: { left: number; right: number }[]) {
  return boxes.slice(1).map(({ left }, index) => Math.round((left - (boxes[index]?.right ?? 0)) * 100) / 100)
}
