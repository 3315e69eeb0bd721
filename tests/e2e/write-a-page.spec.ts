import type { Page } from '@playwright/test'
import { test } from './editors.ts'
import { post } from './forms.ts'
import { paste } from './text-harness/paste.ts'
import { expect, getNotice, open, phone, waitForHydration } from './visitors.ts'

// All pages have the same options, so that they share pooled contexts.
test.use({ viewport: phone, hasTouch: true })

const paper = (page: Page) => page.getByRole('textbox', { name: '本文' })

/** Three hundred paragraphs in the clipboard format of Word, with injected scripts and images. */
const pasted = `<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><meta name=Generator content="Microsoft Word 15">
<link rel=File-List href="file:///C:/Users/hana/AppData/Local/Temp/clip_filelist.xml"><style>p.MsoNormal{margin:0mm}</style></head>
<body lang=JA><script>window.ran = 1</script><img src="https://elsewhere.example/track.gif" onerror="window.ran = 1">
${Array.from({ length: 300 }, (_, at) => `<p class=MsoNormal style='text-indent:10.5pt'><span lang=JA style='font-family:"游明朝"'>${at + 1}段目の文章です。<o:p></o:p></span></p>`).join('\n')}
</body></html>`

test('publishes a pasted page, and updates it on the open page of a guest', async ({ owner, openPage }) => {
  const page = await owner()
  const guest = await openPage()
  const name = `tsukurikata-${Date.now()}`
  await page.goto('/api/health')
  await page.goto(await post(page, '/pages', { title: '出汁のとりかた', name }))
  await expect(page.getByText('まだ公開していません')).toBeVisible()
  expect((await guest.request.get(`/p/${name}`)).status()).toBe(404)

  await expect(paper(page)).toHaveAttribute('contenteditable')
  await paste(paper(page), { 'text/html': pasted })
  await expect(paper(page).locator('p')).toHaveCount(300)
  await page.getByLabel('このページを公開する').check()
  await page.getByRole('button', { name: '保存する' }).tap()
  await expect(page.getByText('保存しました。').first()).toBeVisible()
  expect(await page.evaluate(() => (window as { ran?: number }).ran)).toBeUndefined()

  await guest.goto('/')
  await guest.getByRole('link', { name: '出汁のとりかた' }).click()
  await expect(guest.getByRole('heading', { level: 1 })).toHaveText('出汁のとりかた')
  const paragraphs = guest.locator('main p', { hasText: /^\d+段目の文章です。$/ })
  await expect(paragraphs).toHaveCount(300)
  await expect(paragraphs.last()).toHaveText('300段目の文章です。')
  await expect(guest.locator('main img, main [style], main script')).toHaveCount(0)
  await expect(guest.getByRole('link', { name: 'ページを編集' })).toHaveCount(0)

  // The page that the guest has open is updated.
  await page.getByLabel('ページのタイトル').fill('一番出汁のとりかた')
  await page.getByRole('button', { name: '保存する' }).tap()
  await expect(guest.getByRole('heading', { level: 1 })).toHaveText('一番出汁のとりかた')
  await expect(getNotice(page, '保存しました。').first()).toBeVisible()

  await page.getByRole('button', { name: 'このページを削除する' }).tap()
  await page.getByRole('button', { name: '削除する', exact: true }).tap()
  await expect(page).toHaveURL(/\/pages(?:\?.*)?$/)
  const listed = page.getByRole('link', { name: '「一番出汁のとりかた」を編集' })
  await expect(listed).toHaveCount(0)
  await page.getByRole('region', { name: 'お知らせ' }).getByRole('button', { name: '元に戻す' }).tap()
  await expect(listed).toBeVisible()
})

test('hides a page, and removes the links to this page from an open page', async ({ owner, openPage }) => {
  const page = await owner()
  const guest = await openPage()
  await guest.goto('/access')
  const link = guest.getByRole('link', { name: 'VBAのご紹介' })
  await expect(link).toBeVisible()
  expect(await (await page.request.get('/vbacreate')).text()).toMatch(
    /<a [^>]*href="\/pages\/vbacreate\/edit"[^>]*>(?:<svg.*?<\/svg>)?ページを編集<\/a>/,
  )
  await open(page, '/pages/vbacreate/edit')
  await page.getByLabel('このページを公開する').uncheck()
  await page.getByRole('button', { name: '保存する' }).tap()
  await expect(page.getByText('保存しました。').first()).toBeVisible()
  await expect(link).toHaveCount(0)
  expect((await guest.request.get('/vbacreate')).status()).toBe(404)
  await page.getByRole('button', { name: '元に戻す' }).first().tap()
  await expect(page.getByText('元に戻しました。').first()).toBeVisible()
  await expect(page.getByLabel('このページを公開する')).toBeChecked()
  expect((await guest.request.get('/vbacreate')).status()).toBe(200)
})

test('shows and undoes a save that was sent before the scripts loaded', async ({ owner }) => {
  const page = await owner()
  await page.route('**/assets/**', (route) => route.abort())
  // The scripts start after the first paint and the stylesheet, so the page never hydrates.
  const isBlocked = page.waitForEvent('requestfailed', (request) => request.url().endsWith('.css'))
  await page.goto('/pages/vbacreate/edit')
  await isBlocked
  await page.getByLabel('このページを公開する').uncheck()
  await page.unroute('**/assets/**')
  await page.getByRole('button', { name: '保存する' }).tap()
  const main = page.getByRole('main')
  await expect(main.getByText('保存しました。')).toBeVisible()
  await waitForHydration(page)
  await main.getByRole('button', { name: '元に戻す' }).tap()
  await expect(main.getByText('元に戻しました。')).toBeVisible()
  await expect(page.getByLabel('このページを公開する')).toBeChecked()
})
