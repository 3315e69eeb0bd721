import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { noon } from '../testing.ts'
import { folderWith } from '../testing-disks.ts'
import { importExport } from './import.ts'
import { readExport } from './import-documents.ts'

const dish = { title: '鯖の味噌煮', content: '定食', order: 3, created_at: { __time__: '2024-05-01T02:03:04.000Z' } }
const meta = { format: 'JSON', version: '1.1.0', projectId: 'shop', recursive: false, creationTime: 1_716_000_000 }
const firefoo = (resourcePath: string[], data: object) => ({ meta: { ...meta, resourcePath, app: 'firefoo' }, data })
const rest = { name: 'projects/shop/documents/dining/abc', fields: { title: { stringValue: '鯛' } } }

onEachEngine((fresh) => {
  const importFiles = async (files: Record<string, unknown>) => {
    const db = await fresh()
    const report = await importExport(db, readExport(folderWith(files)), { dryRun: false, now: noon })
    const cards = await db.selectFrom('cards').selectAll().execute()
    const storedDocuments = await db.selectFrom('importedDocuments').select(['collection', 'id']).execute()
    return { report, cards, storedDocuments }
  }

  test.each(['dining.json', 'firefoo-dining.json'])('reads an export of Firefoo from %s', async (name) => {
    const { report, cards } = await importFiles({
      [name]: firefoo(['dining'], { abc123: { ...dish, __collections__: {} } }),
    })
    expect(report).toMatchObject({ documents: 1, stored: 1, oddities: [] })
    const createdAt = '2024-05-01T02:03:04.000Z'
    expect(cards).toMatchObject([{ collection: 'dining', id: 'abc123', title: dish.title, order: 3, createdAt }])
  })

  test('reads a subcollection in a Firefoo export as documents that belong to no page', async () => {
    const { report, cards, storedDocuments } = await importFiles({
      'notes.json': firefoo(['dining', 'a', 'notes'], { n1: dish }),
    })
    expect(report).toMatchObject({ documents: 1, stored: 0, leftOut: 1 })
    expect([cards, storedDocuments]).toEqual([[], [{ collection: 'dining/a/notes', id: 'n1' }]])
  })

  test.each([
    ['with one document of Firefoo', 'dining.json', firefoo(['dining', 'abc'], dish)],
    ['with a header of another program', 'dining.json', { meta, data: { abc: dish } }],
    ['with a header and without a collection', 'export.json', { meta, data: { abc: dish } }],
    ['with typed values', 'dining.json', [rest]],
    ['with a page of typed values', 'dining.json', { documents: [rest], nextPageToken: 'x' }],
    ['with documents under an unknown name', 'dining.json', { docs: { abc: dish }, count: 1 }],
    ['with one document', 'dining.json', dish],
    ['with a collection within its collection', 'dining.json', { dining: { abc: dish } }],
    ['with rows', 'members.json', [['username'], ['はな']]],
    [
      'with a document of only times',
      'events.json',
      { a: { title: '会', date: '2026-12-01' }, b: { createdAt: '2024-05-01' } },
    ],
    ['with a document of only unknown fields', 'dining.json', { abc: dish, info: { format: 'JSON' } }],
  ])('imports nothing from a file %s, but reads the other files', async (_, name, content) => {
    const { report, cards, storedDocuments } = await importFiles({
      [name]: content,
      'vbacreate.json': { ok: { ...dish, eventdate: '2024-05-01' } },
    })
    expect(cards).toMatchObject([{ collection: 'vbacreate', title: dish.title }])
    expect(storedDocuments).toEqual([{ collection: 'vbacreate', id: 'ok' }])
    expect(report).toMatchObject({ documents: 1, stored: 1 })
    expect(report.oddities).toEqual([
      expect.stringMatching(`^${name}: 不明な形式のファイルのため、何も取り込みません（.+）。$`),
    ])
  })
})
