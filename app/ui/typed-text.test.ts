import { expect, test } from 'vitest'
import { blankTexts } from './testing-blank-texts.ts'
import { cleanLine, cleanText, isBlank } from './typed-text.ts'

test.each(Object.entries(blankTexts))('isBlank is true, and the cleaned text is empty, for %s', (_, text) => {
  for (const blank of [text, `\n${text}\r\n`]) {
    expect([isBlank(blank), cleanText(blank), cleanLine(blank)]).toEqual([true, '', ''])
  }
  expect([isBlank(`${text}あ`), cleanText('❤\ufe0f'), cleanLine('❤\ufe0f')]).toEqual([false, '❤\ufe0f', '❤\ufe0f'])
})
