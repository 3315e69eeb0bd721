import { describe, expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { sampleSite } from '../../server/testing.ts'
import { sectionOfSite } from '../../server/testing-forms.ts'
import { readSiteToEdit } from '../settings/site.server.ts'
import { SiteSettings } from '../settings/site.ts'

// The full address, its prefecture, its municipality and the rest.
const addresses: [string, string?, string?, string?][] = [
  ['京都市東山区祇園町南側570-8', '京都府', '京都市東山区', '祇園町南側570-8'],
  ['京都府京都市下京区烏丸通塩小路下ル', '京都府', '京都市下京区', '烏丸通塩小路下ル'],
  ['京都府 京都市 中京区 寺町通', '京都府', '京都市中京区', '寺町通'],
  ['京都府宇治市宇治蓮華116', '京都府', '宇治市', '宇治蓮華116'],
  ['京都府相楽郡精華町北稲八間', '京都府', '相楽郡精華町', '北稲八間'],
  ['東京都千代田区丸の内1-9-1', '東京都', '千代田区', '丸の内1-9-1'],
  ['東京都中央区市場橋1', '東京都', '中央区', '市場橋1'],
  ['東京都東村山市本町1-2-3', '東京都', '東村山市', '本町1-2-3'],
  ['東京都武蔵村山市本町1', '東京都', '武蔵村山市', '本町1'],
  ['東京都町田市原町田1', '東京都', '町田市', '原町田1'],
  ['東京都西多摩郡日の出町平井', '東京都', '西多摩郡日の出町', '平井'],
  ['東京都八丈町大賀郷2551', '東京都', '八丈町', '大賀郷2551'],
  ['北海道札幌市中央区北1条西2丁目', '北海道', '札幌市中央区', '北1条西2丁目'],
  ['北海道余市郡余市町朝日町26', '北海道', '余市郡余市町', '朝日町26'],
  ['大阪市北区梅田3-1-1', '大阪府', '大阪市北区', '梅田3-1-1'],
  ['大阪府堺市堺区南瓦町3-1', '大阪府', '堺市堺区', '南瓦町3-1'],
  ['大阪府三島郡島本町桜井2', '大阪府', '三島郡島本町', '桜井2'],
  ['神奈川県横浜市保土ケ谷区川辺町2', '神奈川県', '横浜市保土ケ谷区', '川辺町2'],
  ['三重県四日市市諏訪町1-5', '三重県', '四日市市', '諏訪町1-5'],
  ['広島県廿日市市宮島町1162', '広島県', '廿日市市', '宮島町1162'],
  ['石川県野々市市三納1', '石川県', '野々市市', '三納1'],
  ['奈良県大和郡山市北郡山町248', '奈良県', '大和郡山市', '北郡山町248'],
  ['奈良県高市郡明日香村岡55', '奈良県', '高市郡明日香村', '岡55'],
  ['福島県郡山市朝日1', '福島県', '郡山市', '朝日1'],
  ['愛知県蒲郡市旭町17', '愛知県', '蒲郡市', '旭町17'],
  ['福岡県小郡市小郡255', '福岡県', '小郡市', '小郡255'],
  ['群馬県佐波郡玉村町下新田201', '群馬県', '佐波郡玉村町', '下新田201'],
  ['佐賀県杵島郡大町町大町5017', '佐賀県', '杵島郡大町町', '大町5017'],
  ['新潟県十日町市千歳町3', '新潟県', '十日町市', '千歳町3'],
  ['長野県大町市大町3887', '長野県', '大町市', '大町3887'],
  ['鹿児島県いちき串木野市昭和通133', '鹿児島県', 'いちき串木野市', '昭和通133'],
  ['奈良市登大路町30', '奈良県', '奈良市', '登大路町30'],
  ['東山区葵町1-2', undefined, '東山区', '葵町1-2'],
  ['祇園の路地', undefined, undefined, '祇園の路地'],
  ['123 Gion, Kyoto', undefined, undefined, '123 Gion, Kyoto'],
]

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  const openSite = async () => {
    const { db, post, as, people } = await sampleSite(await fresh())
    await people()
    const save = async (fields: Record<string, string>) => {
      const form = sectionOfSite(await readSiteToEdit(db), fields)
      expect((await post('administrator', '/site', form)).status).toBe(200)
    }
    const readHtml = async (path: string) => (await as('guest', path)).text()
    const readMetadata = async (path: string) => {
      const [, json = 'null'] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(await readHtml(path)) ?? []
      return JSON.parse(json)
    }
    /** Stores settings without validation. */
    const storeSettings = async (facts: SiteSettings) => {
      await db
        .updateTable('site')
        .set({ facts: JSON.stringify(facts) })
        .execute()
    }
    return { db, save, storeSettings, readHtml, readMetadata }
  }

  describe('the metadata for search engines', () => {
    test('contains all settings of the shop', async () => {
      const { save, readMetadata } = await openSite()
      await save({ telephone: '０７５ー１２３ー４５６７（代）', postalCode: '〒６０４ー８００１' })
      await save({ address: '京都府京都市中京区木屋町通三条上ル 見本ビル1階' })
      await save({ name: '食事処 むすび' })
      await save({ description: '路地の食事処です。' })
      await save({ cuisine: '日本料理', priceRange: '昼1,000円〜、夜4,000円〜' })
      const links = { 'links.0.name': 'Instagram', 'links.0.url': 'https://www.instagram.com/musubi/' }
      await save({ ...links, 'links.1.name': '食べログ', 'links.1.url': 'https://tabelog.com/kyoto/1' })
      await save({ mapPosition: '３４．９８７６５，　１３５．１２３４５' })
      const type = { '@type': 'OpeningHoursSpecification' }
      const open = (dayOfWeek: string) => [
        { ...type, dayOfWeek, opens: '07:30', closes: '10:00' },
        { ...type, dayOfWeek, opens: '11:30', closes: '14:00' },
      ]
      const closed = (dayOfWeek: string) => ({ ...type, dayOfWeek, opens: '00:00', closes: '00:00' })
      const yearEnd = { ...type, validFrom: '2026-12-31', validThrough: '2027-01-03', opens: '00:00', closes: '00:00' }
      for (const path of ['/', '/infomation', '/dining'])
        expect(await readMetadata(path), path).toEqual({
          '@context': 'https://schema.org',
          '@type': 'Restaurant',
          name: '食事処 むすび',
          description: '路地の食事処です。',
          url: 'http://localhost/',
          image: expect.stringMatching(/^http:\/\/localhost\/seal\/[0-9a-f]+\/share\.jpg$/),
          servesCuisine: '日本料理',
          priceRange: '昼1,000円〜、夜4,000円〜',
          telephone: '+81-75-123-4567',
          address: {
            '@type': 'PostalAddress',
            postalCode: '604-8001',
            addressCountry: 'JP',
            addressRegion: '京都府',
            addressLocality: '京都市中京区',
            streetAddress: '木屋町通三条上ル 見本ビル1階',
          },
          geo: { '@type': 'GeoCoordinates', latitude: 34.98765, longitude: 135.12345 },
          hasMenu: 'http://localhost/dining',
          sameAs: ['https://www.instagram.com/musubi/', 'https://tabelog.com/kyoto/1'],
          openingHoursSpecification: [
            ...[...open('Sunday'), ...open('Monday'), closed('Tuesday'), closed('Wednesday')],
            ...[...open('Thursday'), ...open('Friday'), ...open('Saturday'), yearEnd],
          ],
          specialOpeningHoursSpecification: [yearEnd],
        })
    })

    onSqlite('omits empty settings', async () => {
      const { db, storeSettings, readMetadata } = await openSite()
      await db.deleteFrom('businessWeek').execute()
      await db.deleteFrom('specialDays').execute()
      await storeSettings(SiteSettings.parse({ name: '食事処 むすび', address: '祇園' }))
      expect(await readMetadata('/')).toEqual({
        '@context': 'https://schema.org',
        '@type': 'Restaurant',
        name: '食事処 むすび',
        url: 'http://localhost/',
        image: expect.any(String),
        address: { '@type': 'PostalAddress', addressCountry: 'JP', streetAddress: '祇園' },
        hasMenu: 'http://localhost/dining',
      })
    })

    onSqlite('is missing when the shop has no postal address', async () => {
      const { save, readHtml } = await openSite()
      await save({ address: '' })
      for (const path of ['/', '/infomation', '/access', '/dining'])
        expect(await readHtml(path), path).not.toMatch(/ld\+json|Restaurant/)
    })

    onSqlite('is missing when all settings are empty', async () => {
      const { storeSettings, readHtml } = await openSite()
      await storeSettings(SiteSettings.parse({}))
      for (const path of ['/', '/infomation', '/access', '/dining'])
        expect(await readHtml(path), path).not.toMatch(/ld\+json|Restaurant/)
    })

    onSqlite('contains the position of the shop as a map app copies it', async () => {
      const { save, readMetadata } = await openSite()
      for (const [mapPosition, latitude, longitude] of [
        ['34.98765, 135.12345', 34.98765, 135.12345],
        ['34.98765,135.12345', 34.98765, 135.12345],
        [' 34.98765432101234 　135.123 ', 34.98765432101234, 135.123],
        ['（３４.９８７６５、１３５.１２３４５）', 34.98765, 135.12345],
        ['−33.85678, −151.2', -33.85678, -151.2],
        ['-90, 180', -90, 180],
      ] as const) {
        await save({ mapPosition })
        const { geo } = await readMetadata('/access')
        expect(geo, mapPosition).toEqual({ '@type': 'GeoCoordinates', latitude, longitude })
      }
      await save({ mapPosition: ' 　' })
      expect(await readMetadata('/access')).not.toHaveProperty('geo')
    })

    onSqlite('omits a stored position that is invalid', async () => {
      const { storeSettings, readMetadata } = await openSite()
      await storeSettings(SiteSettings.parse({ address: '祇園', mapPosition: '"><script>1</script>' }))
      expect(await readMetadata('/access')).not.toHaveProperty('geo')
    })

    onSqlite('splits the postal address into prefecture, municipality and the rest', async () => {
      const { save, readMetadata } = await openSite()
      const results = []
      for (const address of addresses.map((parts) => parts[0])) {
        await save({ address })
        const { addressRegion, addressLocality, streetAddress } = (await readMetadata('/infomation')).address
        results.push([address, addressRegion, addressLocality, streetAddress])
      }
      expect(results).toEqual(addresses)
    })
  })
})
