import { expect, test } from 'vitest'
import { charactersAt, headingCharacters, headingFontUrl, rangeOf } from '../app/ui/heading-characters.ts'
import { headingText, makeHeadingFont } from './heading-font.ts'

test('the text of headings and of what speaks like them is found, nothing else', () => {
  const html = `<head><title>題</title></head><body><p>本文</p><h1 class="x">見<br/><span>出<svg><path d=""/></svg></span>し</h1>
    <div data-mincho="true"><p>物<img src="a"/>語</p></div><p>続き</p><script>"<h2>嘘</h2>"</script><h2>A &amp; B</h2></body>`
  expect(headingCharacters(headingText(html)).join('')).toBe(headingCharacters('見出し物語A&"\'<>B').join(''))
})

test('an address gives back its characters, and only such an address does', () => {
  const characters = headingCharacters('ダイニング結 𠮷野 abc')
  const steps = headingFontUrl(characters).split('=')[1] ?? ''
  expect(charactersAt(steps)).toEqual(characters)
  expect(rangeOf(['あ', '𠮷'])).toBe('U+3042,U+20bb7')
  for (const wrong of ['', '0', '1.0', '-5', '9zzzzz', 'x.-1', `${steps}.`, '1.1.'.repeat(1001), 'w', 'é']) {
    expect(charactersAt(wrong), wrong).toBeNull()
  }
})

test('the font is made once, small, and has what a vertical line needs', async () => {
  const characters = headingCharacters('たくさんの人の、笑顔が見たくて。')
  const font = await makeHeadingFont(characters)
  expect(Buffer.from(font.subarray(0, 4)).toString()).toBe('wOF2')
  expect(font.length).toBeLessThan(8000)
  expect(await makeHeadingFont(characters)).toBe(font)
})
