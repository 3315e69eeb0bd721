import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import type { KyselyPlugin } from 'kysely'
import sharp from 'sharp'
import { beforeAll, expect, test } from 'vitest'
import { isPlainEmail } from '../../app/forms/email-address.ts'
import { adoptImportedMember } from '../../app/members/imported.server.ts'
import { onSnapshot, tableChecksums } from '../../db/rows.ts'
import type { Db } from '../../db/tables.ts'
import { onEachEngine } from '../../db/testing.ts'
import { often } from '../../scripts/abuse.ts'
import { noon } from '../testing.ts'
import { newFolder } from '../testing-disks.ts'
import { importExport } from './import.ts'
import { readExport } from './import-documents.ts'
import { type ExpectedDocument, type ExportedMember, exports, type GeneratedExport } from './testing-exports.ts'

const pictures = new Map<string, Buffer | string>([
  ['uploads/broken.jpg', 'no picture'],
  ['uploads/unused.png', 'of no card'],
])
const colours: Record<string, [number, number, number]> = {
  'uploads/one.png': [152, 58, 37],
  'old/one.png': [20, 90, 160],
}
beforeAll(async () => {
  for (const [path, [r, g, b]] of Object.entries(colours)) {
    const plain = sharp({ create: { width: 24, height: 16, channels: 3, background: { r, g, b } } })
    pictures.set(path, await plain.png().toBuffer())
  }
})

onEachEngine((fresh, engine) => {
  test('stores or reports every part of a random export, but stores nothing when the import fails', async () => {
    const parameters = { numRuns: engine === 'SQLite' ? often(12, 400) : often(4, 100), seed: 18, endOnFailure: true }
    await fc.assert(
      fc.asyncProperty(exports, fc.double({ min: 0, max: 0.999, noNaN: true }), async (made, position) => {
        const path = writeExport(made)
        try {
          await checkImport(await fresh(), path, made, position)
        } finally {
          rmSync(path, { recursive: true })
        }
      }),
      parameters,
    )
  })
})

async function checkImport(db: Db, path: string, made: GeneratedExport, position: number) {
  const importOnce = (on: Db, dryRun = false, now = noon) => importExport(on, readExport(path), { dryRun, now })
  const checksums = () => onSnapshot(db, tableChecksums)
  const before = await checksums()
  const counter = failAtStatement(Number.POSITIVE_INFINITY)
  const dryReport = await importOnce(db.withPlugin(counter.plugin), true)
  expect(await checksums()).toEqual(before)
  const failing = failAtStatement(Math.floor(counter.count() * position) + 1)
  await expect(importOnce(db.withPlugin(failing.plugin))).rejects.toThrow('cut')
  expect(await checksums()).toEqual(before)

  const report = await importOnce(db)
  expect(report).toEqual(dryReport)
  expect(report.documents).toBe(made.documents.length + made.invalidCount)
  expect(report.stored + report.leftOut + report.notKept).toBe(report.documents)
  for (const word of made.otherReportTexts) expect(report.oddities.join('\n')).toContain(word)
  const site = await readSite(db)
  for (const document of made.documents) expectStoredOrListed(document, site, report.oddities)
  expectTruthAboutMembers(made.people, site, report.oddities)
  await expectPictures(db, made, site)

  const after = await checksums()
  const again = await importOnce(db, false, noon + 86_400_000)
  expect(await checksums()).toEqual(after)
  expect(again).toMatchObject({ stored: 0, leftOut: 0, already: report.documents - report.notKept })
  await expectReportedTakeovers(db, report.oddities)
}

function writeExport({ files }: GeneratedExport) {
  const folder = newFolder()
  for (const [path, content] of [...files, ...pictures]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  return folder
}

// Returns a plugin that throws at the given statement.
function failAtStatement(at: number) {
  let count = 0
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      count += 1
      if (count === at) throw new Error('cut')
      return node
    },
    transformResult: async ({ result }) => result,
  }
  return { plugin, count: () => count }
}

type Site = Awaited<ReturnType<typeof readSite>>

async function readSite(db: Db) {
  const cards = await db.selectFrom('cards').selectAll().execute()
  const members = await db.selectFrom('members').selectAll().execute()
  const events = await db.selectFrom('events').selectAll().execute()
  const weeks = await db.selectFrom('businessWeek').selectAll().execute()
  const special = await db.selectFrom('specialDays').selectAll().execute()
  const kept = await db.selectFrom('importedDocuments').selectAll().execute()
  const rows: object[] = [...cards, ...members, ...events, ...weeks, ...special]
  const shown = rows.flatMap((row) => Object.entries(row).map(([name, value]) => `${name}=${value}\n`)).join('')
  return { cards, members, kept, shown }
}

function expectStoredOrListed(
  { reportName, collection, id, parts }: ExpectedDocument,
  { shown, kept }: Site,
  oddities: string[],
) {
  const lines = oddities.filter((line) => line.startsWith(`${reportName}: `)).map((line) => line.replaceAll('\\"', '"'))
  const isReported = (words: string[]) => lines.some((line) => words.some((word) => line.includes(word)))
  const marksOf = (part: ExpectedDocument['parts'][number]) => part.flatMap(({ mark }) => mark ?? [])
  const copy = kept.find((row) => row.collection === collection && row.id === id)?.fields ?? ''
  const words = parts.flatMap(marksOf).filter((mark) => /^w\d+z$/.test(mark))
  const isKept = words.every((word) => copy.includes(word))
  for (const part of parts) {
    const isOnSite = marksOf(part).some((mark) => shown.includes(mark))
    const isLeftOut = isKept
      ? isReported([...marksOf(part), '元の文書', '取り込み'])
      : isReported(parts.flatMap(marksOf))
    if (!isOnSite && (isLeftOut || part.length === 0)) continue
    for (const { name, mark } of part) {
      const isThere =
        (mark !== null && shown.includes(mark)) ||
        isReported([...(mark ? [mark] : []), ...(name ? [`「${name}」`] : [])])
      expect(isThere, `${reportName}: ${name} ${mark}\n${lines.join('\n')}`).toBe(true)
    }
  }
}

function expectTruthAboutMembers(people: ExportedMember[], { members }: Site, oddities: string[]) {
  const rowOf = (person: ExportedMember) => members.find(({ struggles }) => struggles === person.identity)
  const linesOf = ({ reportName }: ExportedMember) =>
    oddities.filter((line) => line.startsWith(`${reportName}: `)).join('\n')
  const stored = people.filter(rowOf)
  for (const person of stored) {
    const row = rowOf(person)
    const isNobodys = person.author.startsWith('nonMember')
    expect(row?.administrator).toBe(person.flag === true && !isNobodys)
    expect(row?.nonMemberId?.startsWith('nonMember') ?? false).toBe(isNobodys)
    if (person.flag === true) expect(linesOf(person)).toContain('管理者')
    if (person.email.endsWith('@x')) expect(linesOf(person)).toContain(person.email)
    for (const other of stored.filter((each) => each !== person)) {
      if (other.email && other.email.toLowerCase() === person.email.toLowerCase())
        expect(linesOf(person)).toContain(`「${person.email}」が、ほかのメンバーと同じです`)
      if (person.author && other.author === person.author)
        expect(linesOf(person) + linesOf(other)).toContain(person.author)
    }
  }
}

async function expectPictures(db: Db, { shown }: GeneratedExport, { cards }: Site) {
  for (const { identity, path } of shown) {
    const card = cards.find(({ other }) => other === identity)
    if (!card) continue
    const [, name = '', width] = /^\/pictures\/(\w+)-(\d+)\.jpg$/.exec(card.image) ?? []
    const files = db.selectFrom('pictureFiles').select('bytes').where('name', '=', name).where('format', '=', 'jpg')
    const file = await files.where('width', '=', Number(width)).executeTakeFirstOrThrow()
    const { channels } = await sharp(file.bytes).stats()
    for (const [index, { mean }] of channels.entries())
      expect(Math.abs(mean - (colours[path]?.[index] ?? -99))).toBeLessThan(12)
  }
}

// Asserts that an account takes over an administrator exactly if the report promised this for the account's e-mail
// address.
async function expectReportedTakeovers(db: Db, oddities: string[]) {
  const reported = oddities.flatMap((line) => /管理者として取り込みます。(\S+) の確認が済んだ方/.exec(line)?.[1] ?? [])
  const taken: string[] = []
  const members = await db.selectFrom('members').select('email').where('administrator', '=', true).execute()
  // Only a valid e-mail address can belong to an account.
  for (const { email } of members.filter((each) => isPlainEmail(each.email))) {
    const account = { accountId: `account of ${crypto.randomUUID()}`, name: '', email: email.toLowerCase() }
    const visitor = { ...account, emailVerified: true, member: null, staff: null }
    const member = await adoptImportedMember(db, visitor, new Date(noon).toISOString())
    if (member?.administrator) taken.push(email)
  }
  expect(taken.sort()).toEqual(reported.sort())
}
