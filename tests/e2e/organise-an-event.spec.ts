import { signIn, test } from './editors.ts'
import { createMeeting } from './forms-of-circle.ts'
import { desktop, expect, expectAccessible, getNotice, open, phone } from './visitors.ts'

const past = { day: '2025-05-17', deadline: '2025-05-10', capacity: '2' }

test('answers after the deadline, records who came and adds a guest, while another organiser watches', async ({
  owner,
  site,
}) => {
  const page = await owner({ viewport: phone })
  await page.goto('/api/health')
  await signIn('owner', page, site)
  const path = await createMeeting(page, { ...past, title: '春の練習' })
  const other = await owner({ viewport: desktop })
  await open(other, path)
  await open(page, `/calendar?month=2025-05&event=${path.split('/')[2]}`)
  await page.getByRole('link', { name: '出欠をまとめる' }).click()
  await expect(page.getByRole('heading', { level: 1, name: '春の練習の出欠' })).toBeVisible()
  const hana = page.getByRole('article', { name: '桜井 花' })
  const seenHana = other.getByRole('article', { name: '桜井 花' })

  await hana.getByText('回答を変更する').click()
  await hana.getByLabel('お連れ様').selectOption('1名')
  await hana.getByRole('button', { name: '参加', exact: true }).click()
  await expect(getNotice(page, '桜井 花 さんを「参加」にしました。')).toBeVisible()
  await expect(other.getByRole('definition').first()).toHaveText('桜井 花（＋1）')
  await expect(seenHana).toContainText('参加・お連れ様1名')

  await hana.getByRole('button', { name: '来た', exact: true }).press('Enter')
  await expect(hana.getByRole('button', { name: '来た', exact: true })).toHaveAttribute('aria-pressed', 'true')
  await expect(hana.getByRole('button', { name: '来た', exact: true })).toBeFocused()
  await expect(seenHana).toContainText('お連れ様1名・来た')
  await getNotice(page, '「来た」と記録しました').getByRole('button', { name: '元に戻す' }).click()
  await expect(seenHana).not.toContainText('お連れ様1名・来た')
  await expect(hana.getByRole('button', { name: '来た', exact: true })).toHaveAttribute('aria-pressed', 'false')
  await expect(seenHana).toContainText('参加・お連れ様1名')

  await page.getByRole('textbox', { name: 'お名前' }).fill('ゲスト 花子')
  await page.getByRole('button', { name: 'ゲストを追加する' }).click()
  await expect(other.getByRole('article', { name: 'ゲスト 花子' })).toContainText('キャンセル待ち1番目')
  await expect(page.getByRole('textbox', { name: 'お名前' })).toHaveValue('')
  await expectAccessible(page)
  await expectAccessible(other)
  const guest = page.getByRole('article', { name: 'ゲスト 花子' })
  await guest.getByRole('button', { name: '来なかった' }).click()
  await expect(other.getByRole('article', { name: 'ゲスト 花子' })).toContainText('1番目・来なかった')
  await getNotice(page, '「来なかった」と記録しました').getByRole('button', { name: '元に戻す' }).click()
  await expect(guest.getByRole('button', { name: '来なかった' })).toHaveAttribute('aria-pressed', 'false')
  await guest.getByText('変更・削除').click()
  await guest.getByRole('button', { name: '削除する' }).click()
  await expect(other.getByRole('article', { name: 'ゲスト 花子' })).toHaveCount(0)
  await getNotice(page, 'ゲストを削除しました').getByRole('button', { name: '元に戻す' }).click()
  await expect(other.getByRole('article', { name: 'ゲスト 花子' })).toBeVisible()

  await page.getByText('変更履歴', { exact: true }).click()
  await expect(page.getByText('暖簾 結 さんが変更しました').first()).toBeVisible()
  for (const width of [320, 390, 1440]) {
    await page.setViewportSize({ width, height: 640 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
  }
})

test('prints and downloads the list of an event', async ({ owner, site }) => {
  const page = await owner({ viewport: desktop })
  await page.goto('/api/health')
  await signIn('owner', page, site)
  const path = await createMeeting(page, { ...past, title: '秋の練習' })
  await open(page, path)
  await page.getByRole('textbox', { name: 'お名前' }).fill('ゲスト 太郎')
  await page.getByRole('button', { name: 'ゲストを追加する' }).click()
  await expect(page.getByRole('article', { name: 'ゲスト 太郎' })).toBeVisible()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: '参加者（CSV）' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('2025-05-17 秋の練習の参加者.csv')

  await expect(page.getByRole('table')).toBeHidden()
  await page.emulateMedia({ media: 'print' })
  const table = page.getByRole('table')
  await expect(table.getByRole('columnheader')).toHaveText(['番号', 'お名前', '出欠', '来場'])
  await expect(table).toContainText('ゲスト 太郎（ゲスト）')
  for (const hidden of [page.getByRole('banner'), page.getByRole('button'), page.getByRole('contentinfo')])
    await expect(hidden.filter({ visible: true })).toHaveCount(0)
  const pdf = await page.pdf({ format: 'A4' })
  expect(pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)).toHaveLength(1)
})
