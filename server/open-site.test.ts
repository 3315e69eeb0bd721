import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { errorSentence } from './error-sentence.ts'
import { lockFolder } from './folder-lock.ts'
import { openSite } from './open-site.ts'
import { readOrCreateSecret } from './secret.ts'
import { newFolder } from './testing-disks.ts'

/** Opens and closes the database. Returns the sentence for the owner if the database cannot be opened. */
function openSiteOnce(dataFolder: string, databaseUrl?: string) {
  return openSite({ dataFolder, databaseUrl }, { serving: true }).then(async (db) => {
    await db.destroy()
    return 'opened'
  }, errorSentence)
}

/** Locks the data folder and opens the database, as a start of the site does. */
async function start(dataFolder: string, databaseUrl?: string) {
  try {
    if (!databaseUrl) lockFolder(dataFolder)
  } catch (error) {
    return errorSentence(error)
  }
  return openSiteOnce(dataFolder, databaseUrl)
}

test('lists the newest backups when the database of an existing site is missing or empty', async () => {
  const folder = newFolder()
  expect(await openSiteOnce(folder)).toBe('opened')
  readOrCreateSecret(folder)
  const file = join(folder, 'site.db')
  rmSync(file)
  for (const content of [null, '']) {
    if (content !== null) writeFileSync(file, content)
    const sentence = await openSiteOnce(folder)
    expect(sentence).toContain(`データベース（${file}）がないか空です。新しいサイトとしては起動しません。`)
    expect(sentence).toContain('控えは')
  }
  mkdirSync(join(folder, 'backups'))
  for (const day of ['19', '20', '21', '22'])
    writeFileSync(join(folder, 'backups', `202611${day}-033000-night.noren`), '')
  const sentence = await openSiteOnce(folder)
  expect(sentence.match(/npm run restore -- \S+/g)?.map((line) => line.slice(-23, -13))).toEqual([
    '1122-03300',
    '1121-03300',
    '1120-03300',
  ])
  expect(statSync(file).size).toBe(0)
})

test('creates no database when a folder has only backups, as the folder of a site with SECRET does', async () => {
  const folder = newFolder()
  mkdirSync(join(folder, 'backups'))
  expect(await openSiteOnce(folder)).toBe('opened')
  rmSync(join(folder, 'site.db'))
  writeFileSync(join(folder, 'backups', '20261122-033000-night.noren'), '')
  expect(await openSiteOnce(folder)).toContain('新しいサイトとしては起動しません。')
  expect(readdirSync(folder)).not.toContain('site.db')
})

test('returns one sentence for a corrupt database and leaves its file unchanged', async () => {
  const folder = newFolder()
  const file = join(folder, 'site.db')
  const content = 'not a database'.repeat(1000)
  writeFileSync(file, content)
  expect(await start(folder)).toMatch(/^データベースのファイルが壊れています。[^\n]*$/)
  expect(readFileSync(file, 'utf8')).toBe(content)
})

test('returns one sentence when the data folder cannot be created, and keeps the file in its place', async () => {
  const file = join(newFolder(), 'in-the-way')
  writeFileSync(file, 'kept')
  for (const folder of [file, join(file, 'below')])
    expect(await start(folder)).toMatch(/^フォルダーの場所に、ファイルがあります: [^\n]*$/)
  expect(readFileSync(file, 'utf8')).toBe('kept')
})

test('returns one sentence without the password, and creates no file, when PostgreSQL is unreachable', async () => {
  const folder = newFolder()
  const sentence = await start(folder, 'postgres://nobody:secret-word@127.0.0.1:9/none')
  expect(sentence).toMatch(/^設定 DATABASE_URL のデータベースにつながりません[^\n]*$/)
  expect(sentence).not.toContain('secret-word')
  expect(readdirSync(folder)).toEqual([])
})
