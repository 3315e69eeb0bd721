import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { sampleSite } from '../../server/testing.ts'
import { readSiteToEdit, saveSite } from '../settings/site.server.ts'
import type { SiteSettings } from '../settings/site.ts'
import { noteCopy } from './copies.server.ts'

const further = {
  地図に出るようにする: '/site#place',
  お店の紹介を書く: '/site#words',
  'SNSや予約サイトへのリンクを入れる（あれば）': '/site#guide',
  お問い合わせの知らせが届くアドレスを決める: '/site#mail',
  見本の内容を消すか書きかえる: '/today#sample',
  'データの控えをダウンロードして、別の場所に置く': '/backup',
}
type Further = keyof typeof further

onEachEngine((fresh) => {
  const site = async () => {
    const made = await sampleSite(await fresh())
    await made.people()
    const list = async (person: 'administrator' | 'approved' = 'administrator') => {
      const page = await (await made.as(person, '/today')).text()
      const [section = ''] = /<section[^>]*><h2>残っている準備<.*?<\/section>/s.exec(page) ?? []
      return Object.fromEntries(
        [...section.matchAll(/<a[^>]*href="([^"]*)"[^>]*>([^<]*)</g)].map(([, to, what]) => [what, to]),
      )
    }
    const save = async (facts: Partial<SiteSettings>) => {
      const { version } = await readSiteToEdit(made.db)
      await saveSite(made.db, { version, facts }, { accountId: null, at: '2026-11-20T00:00:00.000Z' })
    }
    return { ...made, list, save }
  }

  test('lists each open task with its link', async () => {
    const { list, as } = await site()
    expect(await list()).toMatchObject(further)
    expect(await list('approved')).toEqual({})
    const [settings, today] = [
      await (await as('administrator', '/site')).text(),
      await (await as('administrator', '/today')).text(),
    ]
    for (const id of ['place', 'words', 'guide', 'mail']) expect(settings).toContain(`id="${id}"`)
    expect(today).toContain('id="sample"')
  })

  const picture = '/pictures/0123456789abcdef0123456789abcdef-1920.jpg'
  test.each<[Further, Partial<SiteSettings>]>([
    ['地図に出るようにする', { mapQuery: '京めし 葵' }],
    ['地図に出るようにする', { wayPicture: picture }],
    ['お店の紹介を書く', { description: '夜の小さな店です。' }],
    ['SNSや予約サイトへのリンクを入れる（あれば）', { links: [{ name: 'Instagram', url: 'https://example.jp/aoi' }] }],
    ['お問い合わせの知らせが届くアドレスを決める', { recipients: { shop: 'a@example.jp', circle: '', portfolio: '' } }],
  ])('drops 「%s」 when the setting is saved', async (what, facts) => {
    const { list, save, db } = await site()
    const at = '2026-11-20T00:00:00.000Z'
    await db
      .insertInto('pictures')
      .values({ name: picture.slice(10, 42), width: 1920, height: 1080, accountId: null, uploadedAt: at })
      .execute()
    const { [what]: _, ...others } = further
    await save(facts)
    const left = await list()
    expect(left).toMatchObject(others)
    expect(left).not.toHaveProperty([what])
  })

  test('drops the backup task when a backup has been downloaded', async () => {
    const { list, db, clock } = await site()
    await noteCopy(db, 'download', { madeAt: clock.now })
    expect(await list()).not.toHaveProperty(['データの控えをダウンロードして、別の場所に置く'])
  })

  test('drops the sample task when the sample content is removed', async () => {
    const { list, post } = await site()
    await post('administrator', '/today', { intent: 'remove the sample' })
    const left = await list()
    expect(left).not.toHaveProperty(['見本の内容を消すか書きかえる'])
    expect(left).toHaveProperty(['地図に出るようにする'])
  })

  test('drops the notification task when an administrator has a verified e-mail address', async () => {
    const { list, db } = await site()
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
    expect(await list()).not.toHaveProperty(['お問い合わせの知らせが届くアドレスを決める'])
  })
})
