import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeBackup } from '../db/backup.ts'
import { openDatabase } from '../db/open.ts'
import { emptyPostgresUrl } from '../db/testing.ts'
import { openLine } from '../db/testing-line.ts'
import { folderWith, newFolder } from './testing-disks.ts'
import { runScript } from './testing-process.ts'

const USAGE = { code: 1, output: expect.stringMatching(/^使い方: npm run [^\n]*\n$/) }

/** Creates a folder with a dish for the import. The site has no dishes yet. */
async function createSite() {
  const dataFolder = newFolder()
  const file = join(dataFolder, 'site.db')
  await (await openDatabase({ file })).destroy()
  const countDishes = async () => {
    const db = await openDatabase({ file })
    const dishes = await db.selectFrom('cards').select('id').execute()
    await db.destroy()
    return dishes.length
  }
  const folder = folderWith({ 'dining.json': [{ id: 'a', title: '汁物', content: '白味噌' }] })
  return { settings: { DATA_DIR: dataFolder }, dataFolder, folder, countDishes }
}

test.each(['--dryrun', '--dry_run', '--dry-run=yes', '-n', 'other'])(
  'the import refuses the argument %s and imports nothing',
  async (argument) => {
    const { settings, folder, countDishes } = await createSite()
    expect(await runScript('import', [folder, argument], settings)).toEqual(USAGE)
    expect(await countDishes()).toBe(0)
  },
)

test('the import imports nothing when npm has taken the option --dry-run', async () => {
  const { settings, folder, countDishes } = await createSite()
  const { code, output } = await runScript('import', [folder], { ...settings, npm_config_dry_run: 'true' })
  expect([code, output]).toEqual([0, expect.stringContaining('サイトの内容は変更していません')])
  expect(await countDishes()).toBe(0)
  expect(await runScript('import', [folder], settings)).toMatchObject({ code: 0 })
  expect(await countDishes()).toBe(1)
})

test.each(['dryrun', 'dry_rn'])(
  'the import refuses the option %s that npm has taken, and imports nothing',
  async (name) => {
    const { settings, folder, countDishes } = await createSite()
    expect(await runScript('import', [folder], { ...settings, [`npm_config_${name}`]: 'true' })).toEqual(USAGE)
    expect(await countDishes()).toBe(0)
  },
)

test('the import ignores the settings of npm', async () => {
  const { settings, folder } = await createSite()
  const npmSettings = { npm_config_cpu: 'x64', npm_config_cache: '/tmp', npm_config_yes: 'true' }
  expect(await runScript('import', [folder], { ...settings, ...npmSettings })).toMatchObject({ code: 0 })
})

test('the restore does not claim that nothing has changed when the response of the commit is lost', async () => {
  const line = await openLine(await emptyPostgresUrl())
  onTestFinished(() => line.close())
  line.loseCommits()
  const file = join(newFolder(), 'site.noren')
  const db = await openDatabase({ file: ':memory:' })
  await makeBackup(db, file, { program: '0.1.0', now: Date.now() })
  await db.destroy()
  const { code, output } = await runScript('restore', [file], { DATA_DIR: newFolder(), DATABASE_URL: line.url })
  expect([code, output]).toEqual([1, expect.stringContaining('戻せたかどうかが分かりません。')])
  expect(output).not.toContain('何も変更していません')
})

test('the export explains in Japanese that its folder is a file', async () => {
  const { settings, folder } = await createSite()
  const { code, output } = await runScript('export', [join(folder, 'dining.json')], settings)
  expect([code, output]).toEqual([
    1,
    expect.stringMatching(/^書き出せませんでした。フォルダーの場所に、ファイルがあります[^\n]*\n$/),
  ])
})

test.each(['appoint', 'backup', 'doctor', 'export', 'restore', 'update'])(
  'the command %s refuses an unknown option and writes nothing',
  async (script) => {
    const { settings } = await createSite()
    const folder = newFolder()
    expect(await runScript(script, ['--help'], { ...settings, INIT_CWD: folder })).toEqual(USAGE)
    expect(await runScript(script, ['one', 'two'], { ...settings, INIT_CWD: folder })).toEqual(USAGE)
    expect([readdirSync(folder), existsSync(join(settings.DATA_DIR, 'backups'))]).toEqual([[], false])
  },
)

test('the export and the import resolve a path in the folder in which the operator has called npm', async () => {
  const { settings, folder, countDishes } = await createSite()
  const called = { ...settings, INIT_CWD: folder }
  expect(await runScript('import', ['dining.json'], called)).toMatchObject({ code: 0 })
  expect(await countDishes()).toBe(1)
  expect(await runScript('export', ['./out'], called)).toMatchObject({ code: 0 })
  expect(readdirSync(join(folder, 'out'))).toContain('dining.json')
  expect(existsSync('out')).toBe(false)
})

test.each(['appoint', 'export'])(
  'the command %s explains in Japanese that the database is unreachable',
  async (script) => {
    const settings = { DATA_DIR: newFolder(), DATABASE_URL: 'postgres://shop:hidden@127.0.0.1:9/x' }
    const { code, output } = await runScript(script, [join(newFolder(), 'hana@example.jp')], settings)
    expect([code, output]).toEqual([1, expect.stringContaining('設定 DATABASE_URL のデータベースにつながりません')])
    expect(output).not.toContain('hidden')
  },
)
