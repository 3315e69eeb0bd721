import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cpuTimeOf } from '../../server/testing.ts'
import { characterCount } from '../ui/characters.ts'
import { cleanText } from '../ui/typed-text.ts'
import {
  accountnameKey,
  fieldsOf,
  findWarning,
  memberFieldNames,
  type Step,
  sentences,
  splitIntoChunks,
} from './member.ts'
import { parseMember, validateStep } from './member-schema.ts'

const stepOne = {
  username: '若葉 翔',
  accountname: 'かける',
  email: 'wakaba@example.jp',
  address: '京都市伏見区',
  telNum: '075-000-0003',
  profile: 'よろしくお願いします',
}

describe('fieldsOf', () => {
  test('assigns every field to one of the five steps', () => {
    const fieldsOfSteps = ([1, 2, 3, 4, 5] as Step[]).flatMap(fieldsOf)
    expect(fieldsOfSteps).toEqual(memberFieldNames)
  })
})

describe('validateStep', () => {
  test.each([
    ['no characters', ''],
    ['spaces', '  \t '],
    ['full-width spaces', '\u3000\u3000'],
    ['zero-width spaces', '\u200B\u2060\uFEFF'],
    ['invisible fillers', '\u3164\u115F\uFFA0'],
    ['line breaks', '\r\n\n'],
    ['a NUL', '\0'],
  ])('rejects a profile of %s as blank', (_, text) => {
    expect(validateStep(1, { ...stepOne, profile: text })).toEqual({ profile: [sentences.blank] })
  })

  test('rejects a missing field and a list of values as blank', () => {
    expect(validateStep(1, { ...stepOne, profile: undefined })).toEqual({ profile: [sentences.blank] })
    expect(validateStep(1, { ...stepOne, profile: ['a'] })).toEqual({ profile: [sentences.blank] })
    expect(validateStep(1, stepOne)).toBeNull()
  })

  test.each(['wakaba', 'wakaba@', '@example.jp', 'a b@example.jp', 'a@example', 'a@example.jp, b@example.jp'])(
    'rejects the e-mail address %s',
    (email) => expect(validateStep(1, { ...stepOne, email })).toEqual({ email: [sentences.email] }),
  )
})

describe('findWarning', () => {
  test('warns about an account name of six to ten characters and rejects longer names', () => {
    const readMessages = (accountname: string) => [
      findWarning('accountname', accountname),
      validateStep(1, { ...stepOne, accountname })?.accountname?.[0] ?? null,
    ]
    expect(readMessages('あいうえお')).toEqual([null, null])
    expect(readMessages('あいうえおか')).toEqual(['5文字以上は入力できません', null])
    expect(readMessages('あいうえおかきくけこ')).toEqual(['5文字以上は入力できません', null])
    expect(readMessages('あいうえおかきくけこさ')[1]).toBe(
      'アカウント名は5文字以内で入力してください（登録できるのは10文字までです）',
    )
  })

  test('warns about a long value of a short line without rejecting the value', () => {
    const warnedFields = memberFieldNames.filter((name) => findWarning(name, 'あいうえおか') !== null)
    expect(warnedFields).toEqual([
      'username',
      'accountname',
      'tennisExperience',
      'racquetUsed',
      'favoriteShot',
      'playerStyle',
    ])
    expect(
      validateStep(2, {
        tennisExperience: '高校のころから十年',
        racquetUsed: 'ブレード98',
        favoriteShot: 'ストローク全般',
      }),
    ).toBeNull()
  })

  test('counts a grapheme as one character', () => {
    expect(characterCount('👨‍👩‍👧‍👦𠮷か\u3099')).toBe(3)
    expect(findWarning('username', '👨‍👩‍👧‍👦𠮷𠮷𠮷𠮷')).toBeNull()
  })
})

describe('cleanText', () => {
  test.each([
    ['spaces before its last letter', `a${' '.repeat(100_000)}x`],
    ['combining marks', `a${'\u0301'.repeat(20_000)}${'\u0323'.repeat(20_000)}x`],
  ])('cleans a text of many %s in linear time', async (_, text) => {
    expect(await cpuTimeOf(() => expect(cleanText(text).at(-1)).toBe('x'))).toBeLessThan(1000)
  })

  test('composes characters and removes invisible characters only at the ends of a text', () => {
    expect(cleanText(' \u3000か\u3099き\u200B')).toBe('がき')
    expect(cleanText('一\r\n二')).toBe('一\n二')
    expect(cleanText('🏴󠁧󠁢󠁥󠁮󠁧󠁿')).toBe('🏴󠁧󠁢󠁥󠁮󠁧󠁿')
    expect(cleanText('👨‍👩‍👧')).toBe('👨‍👩‍👧')
  })
})

describe('accountnameKey', () => {
  test('ignores width and letter case in the comparison of account names', () => {
    expect(new Set(['Ken', 'ＫＥＮ', ' ken ', 'ｋｅｎ\u3000'].map(accountnameKey))).toEqual(new Set(['ken']))
    expect(accountnameKey('ﾊﾅ')).toBe(accountnameKey('ハナ'))
  })
})

describe('splitIntoChunks', () => {
  test('splits a text into chunks without splitting a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 500 }), fc.constantFrom(100, 200), (text, size) => {
        const chunks = splitIntoChunks(text, size)
        expect(chunks.join('')).toBe(text)
        for (const chunk of chunks.slice(0, -1))
          expect(characterCount(chunk.normalize('NFC'))).toBeLessThanOrEqual(size)
      }),
    )
    expect(
      splitIntoChunks('👨‍👩‍👧'.repeat(150), 100).map((chunk) => [...new Intl.Segmenter().segment(chunk)].length),
    ).toEqual([100, 50])
  })
})

describe('parseMember', () => {
  test('returns only the fields of a member when the input contains other fields', () => {
    const validFields = Object.fromEntries(memberFieldNames.map((name) => [name, 'あ']))
    const input = JSON.parse(`{"administrator":true,"__proto__":{"admin":true},"author":{"id":"x"}}`)
    const parsed = parseMember({ ...input, ...validFields, email: 'a@example.jp' })
    expect('fields' in parsed && Object.keys(parsed.fields).sort()).toEqual([...memberFieldNames].sort())
  })
})
