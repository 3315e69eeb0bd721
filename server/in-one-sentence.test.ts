import { expect, test } from 'vitest'
import { inOneSentence } from './in-one-sentence.ts'

test.each([
  ['SQLITE_FULL', 'ディスクの空きがありません'],
  ['ENOSPC', 'ディスクの空きがありません'],
  ['EDQUOT', 'ディスクの空きがありません'],
  ['53100', 'ディスクの空きがありません'],
  ['SQLITE_READONLY_DIRECTORY', '開けないか、書き込めません'],
  ['SQLITE_READONLY_DBMOVED', '開けないか、書き込めません'],
  ['SQLITE_CANTOPEN_ISDIR', '開けないか、書き込めません'],
  ['SQLITE_IOERR_FSYNC', 'ディスクを読み書きできません'],
  ['EIO', 'ディスクを読み書きできません'],
  ['SQLITE_CORRUPT', 'ファイルが壊れています'],
  ['SQLITE_BUSY', 'ほかのプログラムが使い続けています'],
  ['EROFS', 'データの置き場所に書き込めません'],
  ['EMFILE', '開いているファイルが多すぎます'],
  ['57P03', 'データベースにつながりません'],
  ['53300', 'データベースにつながりません'],
  ['ECONNREFUSED', 'データベースにつながりません'],
])('%s is told with what to look at', (code, sentence) => {
  expect(inOneSentence(Object.assign(new Error('why'), { code }))).toContain(sentence)
})
