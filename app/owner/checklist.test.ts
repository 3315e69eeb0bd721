import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { sampleSite } from '../../server/testing.ts'
import { readSiteToEdit, saveSite } from '../settings/site.server.ts'
import type { SiteSettings } from '../settings/site.ts'
import { noteCopy } from './copies.server.ts'

const openTasks = {
  地図に表示されるようにする: '/site#place',
  お店の紹介を書く: '/site#words',
  'SNSや予約サイトへのリンクを追加する（あれば）': '/site#guide',
  お問い合わせの通知が届くアドレスを設定する: '/site#mail',
  見本の内容を削除するか書き換える: '/today#sample',
  'データの控えをダウンロードして、別の場所に置く': '/backup',
}
type Task = keyof typeof openTasks

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  const site = async () => {
    const sample = await sampleSite(await fresh())
    await sample.people()
    const listTasks = async (person: 'administrator' | 'approved' = 'administrator') => {
      const page = await (await sample.as(person, '/today')).text()
      const [section = ''] = /<section[^>]*><h2>残っている準備<.*?<\/section>/s.exec(page) ?? []
      return Object.fromEntries(
        [...section.matchAll(/<a[^>]*href="([^"]*)"[^>]*>([^<]*)</g)].map(([, to, what]) => [what, to]),
      )
    }
    const save = async (facts: Partial<SiteSettings>) => {
      const { version } = await readSiteToEdit(sample.db)
      await saveSite(sample.db, { version, facts }, { accountId: null, at: '2026-11-20T00:00:00.000Z' })
    }
    return { ...sample, listTasks, save }
  }

  onSqlite('lists each open setup task with its link', async () => {
    const { listTasks, as } = await site()
    expect(await listTasks()).toMatchObject(openTasks)
    expect(await listTasks('approved')).toEqual({})
    const [settings, today] = [
      await (await as('administrator', '/site')).text(),
      await (await as('administrator', '/today')).text(),
    ]
    for (const id of ['place', 'words', 'guide', 'mail']) expect(settings).toContain(`id="${id}"`)
    expect(today).toContain('id="sample"')
  })

  const picture = '/pictures/0123456789abcdef0123456789abcdef-1920.jpg'
  onSqlite.each<[Task, Partial<SiteSettings>]>([
    ['地図に表示されるようにする', { mapQuery: '京めし 葵' }],
    ['地図に表示されるようにする', { wayPicture: picture }],
    ['お店の紹介を書く', { description: '夜の小さな店です。' }],
    [
      'SNSや予約サイトへのリンクを追加する（あれば）',
      { links: [{ name: 'Instagram', url: 'https://example.jp/aoi' }] },
    ],
    ['お問い合わせの通知が届くアドレスを設定する', { recipients: { shop: 'a@example.jp', circle: '', portfolio: '' } }],
  ])('drops the task 「%s」 when the setting of the task is saved', async (what, facts) => {
    const { listTasks, save, db } = await site()
    const at = '2026-11-20T00:00:00.000Z'
    await db
      .insertInto('pictures')
      .values({ name: picture.slice(10, 42), width: 1920, height: 1080, accountId: null, uploadedAt: at })
      .execute()
    const { [what]: _, ...others } = openTasks
    await save(facts)
    const remaining = await listTasks()
    expect(remaining).toMatchObject(others)
    expect(remaining).not.toHaveProperty([what])
  })

  onSqlite('drops the backup task when a backup has been downloaded', async () => {
    const { listTasks, db, clock } = await site()
    await noteCopy(db, 'download', { madeAt: clock.now })
    expect(await listTasks()).not.toHaveProperty(['データの控えをダウンロードして、別の場所に置く'])
  })

  test('drops the sample content task when the sample content is removed', async () => {
    const { listTasks, post } = await site()
    await post('administrator', '/today', { intent: 'remove the sample' })
    const remaining = await listTasks()
    expect(remaining).not.toHaveProperty(['見本の内容を削除するか書き換える'])
    expect(remaining).toHaveProperty(['地図に表示されるようにする'])
  })

  test('drops the contact notification task when an administrator has a verified e-mail address', async () => {
    const { listTasks, db } = await site()
    const { accountId } = await db
      .selectFrom('members')
      .select('accountId')
      .where('administrator', '=', true)
      .executeTakeFirstOrThrow()
    await db
      .insertInto('accounts')
      .values({
        ...{ id: accountId ?? '', name: '店主', email: 'owner@example.jp', emailVerified: true, image: null },
        ...{ createdAt: '2026-11-20T00:00:00.000Z', updatedAt: '2026-11-20T00:00:00.000Z' },
      })
      .execute()
    expect(await listTasks()).not.toHaveProperty(['お問い合わせの通知が届くアドレスを設定する'])
  })
})
