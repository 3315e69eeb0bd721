import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { sampleSite } from '../../server/testing.ts'
import { sectionOfSite } from '../../server/testing-forms.ts'
import { readSite, readSiteToEdit } from './site.server.ts'

onEachEngine((fresh) => {
  const site = async () => {
    const sample = await sampleSite(await fresh())
    await sample.people()
    const loaded = await readSiteToEdit(sample.db)
    const save = (fields: Record<string, string>) =>
      sample.post('administrator', '/site', sectionOfSite(loaded, { 'links.0.name': '', 'links.0.url': '', ...fields }))
    return { ...sample, loaded, save, facts: () => readSite(sample.db) }
  }

  test('saves account names as the URLs of their profiles', async () => {
    const { save, facts, as } = await site()
    const links = [
      ['Instagram', '@kumi_kyoto', 'https://www.instagram.com/kumi_kyoto'],
      ['お店のインスタ', 'kumi.kyoto', 'https://www.instagram.com/kumi.kyoto'],
      ['公式LINE', ' ＠ｋｕｍｉ ', 'https://line.me/R/ti/p/%40kumi'],
      ['X（旧Twitter）', '@kumi', 'https://x.com/kumi'],
      ['Facebook', 'kumi.kyoto', 'https://www.facebook.com/kumi.kyoto'],
      ['YouTube', '@kumi', 'https://www.youtube.com/@kumi'],
      ['Instagram', 'https://www.instagram.com/kumi_kyoto/', 'https://www.instagram.com/kumi_kyoto/'],
    ] as const
    const rows = links.flatMap(([name, typed], index) => [
      [`links.${index}.name`, name],
      [`links.${index}.url`, typed],
    ])
    expect((await save(Object.fromEntries(rows))).status).toBe(200)
    expect((await facts()).links).toEqual(links.map(([name, , url]) => ({ name, url })))
    expect(await (await as('guest', '/')).text()).toContain('href="https://www.instagram.com/kumi_kyoto"')
  })

  test.each([
    ['どのサービスのものか', '公式アカウント', '@kumi_kyoto'],
    ['リンクは https:// で始まる', 'オンライン予約', 'kumi_kyoto'],
    ['リンクは https:// で始まる', 'Instagram', 'javascript:alert(1)'],
    ['リンクは https:// で始まる', 'Instagram', '@kumi/../../evil'],
    ['「https://instagram.com/kumi」ではありませんか', 'Instagram', 'instagram.com/kumi'],
    ['「https://www.instagram.com」ではありませんか', 'Instagram', 'www.instagram.com'],
  ])('rejects the whole section with the error 「%s」', async (sentence, name, typed) => {
    const { save, facts, loaded } = await site()
    const sent = { 'links.0.name': name, 'links.0.url': typed, seats: '小上がり二つ', payment: '現金' }
    const response = await save({ ...sent, 'links.1.name': 'インスタ', 'links.1.url': 'kumi.kyoto' })
    expect(response.status).toBe(400)
    const html = await response.text()
    expect(html).toContain(sentence)
    expect(html).toContain('同時に送信したほかの欄も、まだ保存されていません')
    expect(await facts()).toEqual(loaded.facts)
  })
})
