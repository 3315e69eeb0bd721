import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cpuTimeOf } from '../../server/testing.ts'
import { characterCount } from '../ui/characters.ts'
import { cleanText } from '../ui/typed-text.ts'
import { accountnameKey, chunked, fieldsOf, memberFieldNames, type Step, sentences, warningFor } from './member.ts'
import { errorsOfStep, parseMember } from './member-schema.ts'

const stepOne = {
  username: '若葉 翔',
  accountname: 'かける',
  email: 'wakaba@example.jp',
  address: '京都市伏見区',
  telNum: '075-000-0003',
  profile: 'よろしくお願いします',
}

test('five steps hold every field once', () => {
  const inSteps = ([1, 2, 3, 4, 5] as Step[]).flatMap(fieldsOf)
  expect(inSteps).toEqual(memberFieldNames)
})

test.each([
  ['nothing', ''],
  ['spaces', '  \t '],
  ['full-width spaces', '\u3000\u3000'],
  ['zero-width spaces', '\u200B\u2060\uFEFF'],
  ['fillers that show nothing', '\u3164\u115F\uFFA0'],
  ['line breaks', '\r\n\n'],
  ['a NUL', '\0'],
])('%s is blank', (_, text) => {
  expect(errorsOfStep(1, { ...stepOne, profile: text })).toEqual({ profile: [sentences.blank] })
})

test.each([
  ['spaces before its last letter', `a${' '.repeat(100_000)}x`],
  ['combining marks', `a${'\u0301'.repeat(20_000)}${'\u0323'.repeat(20_000)}x`],
])('cleans a text of many %s in linear time', async (_, text) => {
  expect(await cpuTimeOf(() => expect(cleanText(text).at(-1)).toBe('x'))).toBeLessThan(1000)
})

test('a missing field is blank, a field of another kind too', () => {
  expect(errorsOfStep(1, { ...stepOne, profile: undefined })).toEqual({ profile: [sentences.blank] })
  expect(errorsOfStep(1, { ...stepOne, profile: ['a'] })).toEqual({ profile: [sentences.blank] })
  expect(errorsOfStep(1, stepOne)).toBeNull()
})

test.each(['wakaba', 'wakaba@', '@example.jp', 'a b@example.jp', 'a@example', 'a@example.jp, b@example.jp'])(
  'the e-mail %s is refused',
  (email) => expect(errorsOfStep(1, { ...stepOne, email })).toEqual({ email: [sentences.email] }),
)

test('an account name: five characters in silence, six to ten with a warning, eleven refused', () => {
  const said = (accountname: string) => [
    warningFor('accountname', accountname),
    errorsOfStep(1, { ...stepOne, accountname })?.accountname?.[0] ?? null,
  ]
  expect(said('あいうえお')).toEqual([null, null])
  expect(said('あいうえおか')).toEqual(['5文字以上は入力できません', null])
  expect(said('あいうえおかきくけこ')).toEqual(['5文字以上は入力できません', null])
  expect(said('あいうえおかきくけこさ')[1]).toBe(
    'アカウント名は5文字以内で入力してください（登録できるのは10文字までです）',
  )
})

test('only the short lines warn, and never stop anyone', () => {
  const warned = memberFieldNames.filter((name) => warningFor(name, 'あいうえおか') !== null)
  expect(warned).toEqual(['username', 'accountname', 'tennisExperience', 'racquetUsed', 'favoriteShot', 'playerStyle'])
  expect(
    errorsOfStep(2, {
      tennisExperience: '高校のころから十年',
      racquetUsed: 'ブレード98',
      favoriteShot: 'ストローク全般',
    }),
  ).toBeNull()
})

test('a character is what a person sees as one', () => {
  expect(characterCount('👨‍👩‍👧‍👦𠮷か\u3099')).toBe(3)
  expect(warningFor('username', '👨‍👩‍👧‍👦𠮷𠮷𠮷𠮷')).toBeNull()
})

test('what is kept is composed and without what shows nothing around it; inside, all stays', () => {
  expect(cleanText(' \u3000か\u3099き\u200B')).toBe('がき')
  expect(cleanText('一\r\n二')).toBe('一\n二')
  expect(cleanText('🏴󠁧󠁢󠁥󠁮󠁧󠁿')).toBe('🏴󠁧󠁢󠁥󠁮󠁧󠁿')
  expect(cleanText('👨‍👩‍👧')).toBe('👨‍👩‍👧')
})

test('an account name is the same in any width and case', () => {
  expect(new Set(['Ken', 'ＫＥＮ', ' ken ', 'ｋｅｎ\u3000'].map(accountnameKey))).toEqual(new Set(['ken']))
  expect(accountnameKey('ﾊﾅ')).toBe(accountnameKey('ハナ'))
})

test('the pieces of a long text are the text again, and no character is cut', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 500 }), fc.constantFrom(100, 200), (text, size) => {
      const pieces = chunked(text, size)
      expect(pieces.join('')).toBe(text)
      for (const piece of pieces.slice(0, -1)) expect(characterCount(piece.normalize('NFC'))).toBeLessThanOrEqual(size)
    }),
  )
  expect(chunked('👨‍👩‍👧'.repeat(150), 100).map((piece) => [...new Intl.Segmenter().segment(piece)].length)).toEqual([
    100, 50,
  ])
})

test('only the fields of a member come out of what was sent', () => {
  const whole = Object.fromEntries(memberFieldNames.map((name) => [name, 'あ']))
  const sent = JSON.parse(`{"administrator":true,"__proto__":{"admin":true},"author":{"id":"x"}}`)
  const parsed = parseMember({ ...sent, ...whole, email: 'a@example.jp' })
  expect('fields' in parsed && Object.keys(parsed.fields).sort()).toEqual([...memberFieldNames].sort())
})
