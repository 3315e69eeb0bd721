import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cardSchema } from '../../app/cards/card.ts'
import { addCard } from '../../app/cards/cards.server.ts'
import { SectionForm } from '../../app/sections/section.ts'
import { saveSection } from '../../app/sections/sections.server.ts'
import { openDatabase } from '../../db/open.ts'
import { fetchBytes, startSite } from '../../scripts/start-site.ts'
import sampleMenu from '../../server/sample-menu.json' with { type: 'json' }
import sampleShop from '../../server/sample-shop.json' with { type: 'json' }
import { asKilobytes, figure, figureAtMost, type Row } from './bench-figures.ts'

const DISHES = 200
const SECTIONS = 12
const MAX_RATIO = 1.3

const dishes: object[] = [...sampleShop.cards.dining, ...Object.values(sampleMenu.dishes).flat()]

/** Compares the cached page of a long menu with and without sections. */
export async function menu(): Promise<Row[]> {
  const plain = await measureMenu(0)
  const sectioned = await measureMenu(SECTIONS)
  return [
    { label: `/dining, ${DISHES} dishes`, figures: [figure('HTML', plain, asKilobytes)] },
    {
      label: `/dining, ${DISHES} dishes in ${SECTIONS} sections`,
      figures: [
        figure('HTML', sectioned, asKilobytes),
        figureAtMost('bytes per dish, to those without sections', sectioned / plain, MAX_RATIO, (ratio) =>
          ratio.toFixed(2),
        ),
      ],
    },
  ]
}

/** Returns the size of the compressed page of the menu in bytes. */
async function measureMenu(sectionCount: number) {
  const folder = mkdtempSync(join(tmpdir(), 'noren-menu-'))
  await fill(join(folder, 'site.db'), sectionCount)
  try {
    await using site = await startSite({ SAMPLE_SHOP: 'no' }, { folder })
    const { status, headers, body } = await fetchBytes(`${site.address}/dining`, { 'accept-encoding': 'br' })
    if (status !== 200 || headers['content-encoding'] !== 'br')
      throw new Error(`Menu request failed: got status ${status}, expected 200 with Brotli`)
    return body.length
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function fill(file: string, sectionCount: number) {
  const db = await openDatabase({ file })
  const author = { accountId: null, at: new Date().toISOString() }
  const sections = Array.from({ length: sectionCount }, () => crypto.randomUUID())
  for (const [index, id] of sections.entries()) {
    const facts = SectionForm.parse({
      ...sampleMenu.sections[index % sampleMenu.sections.length],
      name: `分類${index + 1}`,
    })
    await saveSection(db, id, { version: 0, facts }, author)
  }
  const schema = cardSchema('dining')
  for (let index = 0; index < DISHES; index += 1) {
    const dish = schema.parse({ ...dishes[index % dishes.length], order: index + 1 })
    const section = sections[Math.floor((index * sectionCount) / DISHES)] ?? ''
    await addCard(db, 'dining', { ...dish, title: `${dish.title}その${index + 1}`, section }, author)
  }
  await db.destroy()
}
