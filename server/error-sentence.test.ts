import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { OutcomeUnknown } from '../db/failure.ts'
import { openDatabase } from '../db/open.ts'
import { emptyPostgresUrl, freshPostgresUrl, onServer } from '../db/testing.ts'
import { withoutWaiting } from '../db/testing-timers.ts'
import { errorSentence } from './error-sentence.ts'
import { CONNECTION_LIMITS, listen } from './listen.ts'

const FULL = 'ディスクに空きがないか、ファイルの数が上限に達しています'
test.each([
  ...['SQLITE_FULL', 'ENOSPC', 'EDQUOT', '53100'].map((code) => [code, FULL]),
  ['SQLITE_READONLY_DIRECTORY', '開けないか、書き込めません'],
  ['SQLITE_READONLY_DBMOVED', '開けないか、書き込めません'],
  ['SQLITE_CANTOPEN_ISDIR', '開けないか、書き込めません'],
  ['SQLITE_IOERR_FSYNC', 'ディスクを読み書きできません'],
  ['EIO', 'ディスクを読み書きできません'],
  ['SQLITE_CORRUPT', 'ファイルが壊れています'],
  ['SQLITE_BUSY', 'ほかのプログラムが使い続けています'],
  ['EMFILE', '開いているファイルが多すぎます'],
  ['25006', 'データベースが読み取り専用です'],
  ['57014', 'データベースが混み合っている'],
  ['53300', 'これ以上の接続を受け付けません'],
  ['42501', '権限がありません'],
  ['57P03', 'データベースにつながりません'],
  ['ECONNREFUSED', 'データベースにつながりません'],
])('returns a sentence with the remedy for %s', (code = '', sentence = '') => {
  expect(errorSentence(Object.assign(new Error('why'), { code }))).toContain(sentence)
})

test('names the cause when the response of a commit was lost', () => {
  const cause = Object.assign(new Error('why'), { code: 'ECONNRESET' })
  expect(errorSentence(new OutcomeUnknown('commit response lost', { cause }))).toContain('データベースにつながりません')
})

const app = { fetch: async () => new Response(), serveCached: () => false }
const sentenceOf = (work: Promise<unknown>) => work.then(() => 'no error', errorSentence)

test.each(['typo..invalid', '192.0.2.1'])(
  'names HOST, not DATABASE_URL, when the site cannot listen on %s',
  async (hostname) => {
    const sentence = await sentenceOf(listen(app, { port: 0, hostname }, CONNECTION_LIMITS))
    expect(sentence).toMatch(/^設定 HOST と PORT の場所では待ち受けられません/)
    expect(sentence).not.toContain('DATABASE_URL')
  },
)

test('names PORT in one sentence when the port is taken', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void taken.close())
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const sentence = await sentenceOf(listen(app, { port, hostname: '127.0.0.1' }, CONNECTION_LIMITS))
  expect(sentence).toMatch(/^設定 PORT のポート番号は、ほかのプログラムが使っています。[^\n]*$/)
})

test('names DATABASE_URL when the host of the database is unknown', async () => {
  const opened = openDatabase({ url: 'postgres://noren@typo..invalid/noren', file: '' })
  expect(await sentenceOf(opened)).toMatch(/^設定 DATABASE_URL のデータベースにつながりません（ENOTFOUND/)
})

test('reports PostgreSQL as unreachable when the server accepts a connection but never responds', async () => {
  const silent = createServer((socket) => void socket.on('error', () => {})).listen(0, '127.0.0.1')
  onTestFinished(() => void silent.close())
  await once(silent, 'listening')
  const url = `postgres://noren@127.0.0.1:${(silent.address() as AddressInfo).port}/noren`
  const sentence = await withoutWaiting(() => sentenceOf(openDatabase({ url, file: '', serving: true })))
  expect(sentence).toMatch(/^設定 DATABASE_URL のデータベースにつながりません/)
})

test('reports a read-only PostgreSQL database when the site starts', async () => {
  const url = await freshPostgresUrl()
  await onServer(`alter database ${new URL(url).pathname.slice(1)} set default_transaction_read_only = on`)
  expect(await sentenceOf(openDatabase({ url, file: '', serving: true }))).toMatch(/^データベースが読み取り専用です/)
})

test.each([
  [
    'whose connections are used up',
    freshPostgresUrl,
    'connection limit 1',
    'データベースが、これ以上の接続を受け付けません',
  ],
  ['that may not create tables', emptyPostgresUrl, '', 'データベースのユーザーに権限がありません'],
])('returns the cause when the site starts with a database role %s', async (_, newUrl, limits, sentence) => {
  const url = new URL(await newUrl())
  url.username = `role_${crypto.randomUUID().replaceAll('-', '')}`
  await onServer(`create role ${url.username} login ${limits}`)
  onTestFinished(() => onServer(`drop role ${url.username}`))
  const opened = openDatabase({ url: url.href, file: '', serving: true })
  expect(await sentenceOf(opened)).toMatch(new RegExp(`^${sentence}`))
})

test('names the network share, not the database, when the share times out', () => {
  const gone = Object.assign(new Error('ETIMEDOUT: connection timed out'), { code: 'ETIMEDOUT', path: '/media/nas' })
  expect(errorSentence(gone)).toBe('/media/nas を読み書きできません（ETIMEDOUT: connection timed out）。')
})

test('reports a file that is at the path of a folder', async () => {
  const path = `${import.meta.filename}/below`
  expect(await sentenceOf(readFile(path))).toBe(`フォルダーの場所に、ファイルがあります: ${path}`)
})
