import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { errorSentence } from './error-sentence.ts'
import { loadSettingsFile } from './settings-file.ts'
import { newFolder } from './testing-disks.ts'

/** Loads a settings file into an environment. Returns the environment, and the notices or the faults. */
function load(content: string | Buffer, environment: Record<string, string> = {}) {
  const file = join(newFolder(), '.env')
  writeFileSync(file, content)
  const withoutPath = (sentence: string) => sentence.replaceAll(file, '.env').split('\n')
  try {
    const notices = loadSettingsFile(file, environment).flatMap(withoutPath)
    return { environment, notices, faults: [] }
  } catch (error) {
    return { environment, notices: [], faults: withoutPath(errorSentence(error)) }
  }
}

const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16()
// 料理 in Shift_JIS.
const DISHES = Buffer.from([0x97, 0xbf, 0x97, 0x9d])

test.each<[editor: string, content: string | Buffer]>([
  ['UTF-8', '# 料理\nPORT=3001\nHOST=::1\n'],
  ['UTF-8 with a byte order mark', '\ufeffPORT=3001\nHOST=::1\n'],
  ['UTF-16 of Notepad', Buffer.from('\ufeffPORT=3001\r\nHOST=::1', 'utf16le')],
  ['UTF-16 without a byte order mark', Buffer.from('PORT=3001\r\nHOST=::1', 'utf16le')],
  ['big-endian UTF-16', utf16be('\ufeffPORT=3001\r\nHOST=::1')],
  ['big-endian UTF-16 without a byte order mark', utf16be('PORT=3001\r\nHOST=::1')],
  ['Shift_JIS', Buffer.concat([Buffer.from('# '), DISHES, Buffer.from('\r\nPORT=3001\r\nHOST=::1')])],
  ['CRLF', 'PORT=3001\r\n\r\nHOST=::1\r\n'],
  ['CR', 'PORT=3001\rHOST=::1'],
  ['spaces', '  PORT = 3001 \n\tHOST\t=\t::1\t\n'],
  ['export', 'export PORT=3001\nexport  HOST="::1"\n'],
  ['full-width characters', '＃ 料理\nＰＯＲＴ＝3001\n　HOST　＝　::1　＃ ここ\n'],
  ['comments', 'PORT=3001 # 番号\nHOST="::1" # here\n#DATA_DIR=x\nLOG_LEVEL= # 空欄\n'],
])('loadSettingsFile reads a file with %s', (_editor, content) => {
  expect(load(content)).toMatchObject({ environment: { PORT: '3001', HOST: '::1' }, notices: [], faults: [] })
})

test.each([
  ['GOCSPX-a#b#c', 'GOCSPX-a#b#c'],
  ['#abc', '#abc'],
  ['"a # b"', 'a # b'],
  ["'a\"b'", 'a"b'],
  ['`a\'"b`', 'a\'"b'],
  ['"a"b"', 'a"b'],
  ['“a b”', 'a b'],
  ['‘a b’ # c', 'a b'],
  ['＂a＂', 'a'],
  ['a\\nb', 'a\\nb'],
  ['"a\\nb"', 'a\\nb'],
  ['a=b', 'a=b'],
  ['a"b', 'a"b'],
  ['""', ''],
  ['', ''],
])('loadSettingsFile reads the value %s whole', (written, value) => {
  const { environment, notices } = load(`GOOGLE_CLIENT_SECRET=${written}`)
  expect([environment.GOOGLE_CLIENT_SECRET, notices]).toEqual([value, []])
})

test('loadSettingsFile reads full-width values as ASCII, except secrets and paths', () => {
  const { environment } = load('PORT=３０００\nOWNER_EMAIL=a＠ｂ.jp\nSECRET=Ａ\nSMTP_URL_FILE=Ａ\nDATA_DIR=Ａ\nTZ=Ａ')
  expect(environment).toEqual({
    ...{ PORT: '3000', OWNER_EMAIL: 'a@b.jp' },
    ...{ SECRET: 'Ａ', SMTP_URL_FILE: 'Ａ', DATA_DIR: 'Ａ', TZ: 'Ａ' },
  })
})

describe('loadSettingsFile rejects', () => {
  test.each([
    ['SMTP_URL', '.env の2行目は「名前=値」の形ではありません。注釈なら、行の初めに # を付けてください。'],
    ['=3000', '.env の2行目は「名前=値」の形ではありません。注釈なら、行の初めに # を付けてください。'],
    ['PUBLIC_ORGIN=x', '.env の2行目の PUBLIC_ORGIN という設定はありません。PUBLIC_ORIGIN のことでしょうか。'],
    ['port=1', '.env の2行目の port という設定はありません。PORT のことでしょうか。'],
    ['- PORT=1', '.env の2行目の - PORT という設定はありません。PORT のことでしょうか。'],
    ['SMTP-URL=x', '.env の2行目の SMTP-URL という設定はありません。SMTP_URL のことでしょうか。'],
    ['SMTPURL_FILE=x', '.env の2行目の SMTPURL_FILE という設定はありません。SMTP_URL_FILE のことでしょうか。'],
    [
      'SECRET="abc',
      '.env の2行目の SECRET の引用符が閉じていないか、あとに文字が続いています。値の全体を引用符で囲んでください。',
    ],
    [
      "SECRET='a'b",
      '.env の2行目の SECRET の引用符が閉じていないか、あとに文字が続いています。値の全体を引用符で囲んでください。',
    ],
  ])('the line %s', (line, fault) => {
    expect(load(`HOST=::1\n${line}\n`)).toEqual({ environment: {}, notices: [], faults: [fault] })
  })

  test('a file with every fault in one error', () => {
    const { faults } = load('a\nPROT=1\nOWNER_MAIL=a@b.jp')
    expect(faults.map((fault) => fault.slice(0, 9))).toEqual(['.env の1行目', '.env の2行目', '.env の3行目'])
  })

  test('a file in an unknown encoding', () => {
    const { faults } = load(Buffer.from([0x50, 0x3d, 0xff, 0xff]))
    expect(faults).toEqual(['.env の文字コードを読み取れません。UTF-8 で保存し直してください。'])
  })

  test('a folder and a broken link', () => {
    const folder = newFolder()
    mkdirSync(join(folder, 'folder'))
    symlinkSync('missing', join(folder, 'link'))
    expect(() => loadSettingsFile(join(folder, 'folder'), {})).toThrow('EISDIR')
    expect(() => loadSettingsFile(join(folder, 'link'), {})).toThrow('ENOENT')
  })
})

describe('loadSettingsFile returns a notice', () => {
  test('when a name is no setting, and sets the variable for other libraries', () => {
    const { environment, notices } = load('PGPASSWORD=x\nTZ="UTC"')
    expect(environment).toEqual({ PGPASSWORD: 'x', TZ: 'UTC' })
    expect(notices).toEqual([
      '.env の1行目の PGPASSWORD は、このサイトの設定にない名前です。綴りをご確認ください。',
      '.env の2行目の TZ は、このサイトの設定にない名前です。綴りをご確認ください。',
    ])
  })

  test('when a comment follows a secret, which may belong to the secret', () => {
    const { environment, notices } = load('SMTP_URL=smtps://shop:pass #word@mail.example.jp\nPORT=1 #2')
    expect(environment).toEqual({ SMTP_URL: 'smtps://shop:pass', PORT: '1' })
    expect(notices).toEqual([
      '.env の1行目の SMTP_URL は、# の前までを値として読みました。# も値の一部なら、値の全体を引用符で囲んでください。',
    ])
    expect(notices.join()).not.toContain('word')
  })

  test('when only a file with the suffix .txt exists', () => {
    const file = join(newFolder(), '.env')
    expect(loadSettingsFile(file, {})).toEqual([])
    writeFileSync(`${file}.txt`, 'PORT=1')
    expect(loadSettingsFile(file, {})).toEqual([`${file}.txt は読み込みません。名前を ${file} に変えてください。`])
  })
})

test('loadSettingsFile leaves variables of the environment unchanged, also when the file names the file of a secret', () => {
  const file = 'PORT=1\nHOST=::1\nDATABASE_URL_FILE=/run/database\nSMTP_URL=smtp://a'
  const given = { PORT: '', DATABASE_URL: '', SMTP_URL_FILE: '/run/smtp' }
  expect(load(file, { ...given }).environment).toEqual({ ...given, HOST: '::1' })
})
