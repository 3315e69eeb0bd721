import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import type { Kysely, KyselyPlugin } from 'kysely'
import sharp from 'sharp'
import { beforeAll, expect, test } from 'vitest'
import { isPlainEmail } from '../../app/forms/email-address.ts'
import { adoptImportedMember } from '../../app/members/imported.server.ts'
import { onSnapshot, tableChecksums } from '../../db/rows.ts'
import type { Tables } from '../../db/tables.ts'
import { onEachEngine } from '../../db/testing.ts'
import { often } from '../../scripts/abuse.ts'
import { noon } from '../testing.ts'
import { newFolder } from '../testing-disks.ts'
import { importExport } from './import.ts'
import { readExport } from './import-documents.ts'
import { exports, type Made, type MadeExport, type Person } from './testing-exports.ts'

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
  test('whatever an export holds is stored or listed; a dry run lists the same; half of it is never there', async () => {
    const parameters = { numRuns: engine === 'SQLite' ? often(12, 400) : often(4, 100), seed: 18, endOnFailure: true }
    await fc.assert(
      fc.asyncProperty(exports, fc.double({ min: 0, max: 0.999, noNaN: true }), async (made, when) => {
        const path = writtenOut(made)
        try {
          await tryExport(await fresh(), path, made, when)
        } finally {
          rmSync(path, { recursive: true })
        }
      }),
      parameters,
    )
  }, 600_000)
})

async function tryExport(db: Kysely<Tables>, path: string, made: MadeExport, when: number) {
  const bring = (on: Kysely<Tables>, dryRun = false, now = noon) => importExport(on, readExport(path), { dryRun, now })
  const sums = () => onSnapshot(db, tableChecksums)
  const before = await sums()
  const counting = interrupted(Number.POSITIVE_INFINITY)
  const dry = await bring(db.withPlugin(counting.plugin), true)
  expect(await sums()).toEqual(before)
  const cut = interrupted(Math.floor(counting.count() * when) + 1)
  await expect(bring(db.withPlugin(cut.plugin))).rejects.toThrow('cut')
  expect(await sums()).toEqual(before)

  const report = await bring(db)
  expect(report).toEqual(dry)
  expect(report.documents).toBe(made.documents.length + made.others)
  expect(report.stored + report.leftOut + report.notKept).toBe(report.documents)
  for (const word of made.alsoNamed) expect(report.oddities.join('\n')).toContain(word)
  const site = await siteOf(db)
  for (const document of made.documents) expectStoredOrListed(document, site, report.oddities)
  expectTruthAboutMembers(made.people, site, report.oddities)
  await expectPictures(db, made, site)

  const after = await sums()
  const again = await bring(db, false, noon + 86_400_000)
  expect(await sums()).toEqual(after)
  expect(again).toMatchObject({ stored: 0, leftOut: 0, already: report.documents - report.notKept })
  await expectPromisesKept(db, report.oddities)
}

function writtenOut({ files }: MadeExport) {
  const folder = newFolder()
  for (const [path, content] of [...files, ...pictures]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  return folder
}

// Fails at one of the statements of an import.
function interrupted(at: number) {
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

type Site = Awaited<ReturnType<typeof siteOf>>

async function siteOf(db: Kysely<Tables>) {
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

function expectStoredOrListed({ of, collection, id, parts }: Made, { shown, kept }: Site, oddities: string[]) {
  const lines = oddities.filter((line) => line.startsWith(`${of}: `)).map((line) => line.replaceAll('\\"', '"'))
  const isSaid = (words: string[]) => lines.some((line) => words.some((word) => line.includes(word)))
  const marksOf = (said: Made['parts'][number]) => said.flatMap(({ mark }) => mark ?? [])
  const copy = kept.find((row) => row.collection === collection && row.id === id)?.fields ?? ''
  const words = parts.flatMap(marksOf).filter((mark) => /^w\d+z$/.test(mark))
  const isKept = words.every((word) => copy.includes(word))
  for (const said of parts) {
    const isOnSite = marksOf(said).some((mark) => shown.includes(mark))
    const isLeftOut = isKept ? isSaid([...marksOf(said), '元の文書', '取り込み']) : isSaid(parts.flatMap(marksOf))
    if (!isOnSite && (isLeftOut || said.length === 0)) continue
    for (const { name, mark } of said) {
      const isThere =
        (mark !== null && shown.includes(mark)) || isSaid([...(mark ? [mark] : []), ...(name ? [`「${name}」`] : [])])
      expect(isThere, `${of}: ${name} ${mark}\n${lines.join('\n')}`).toBe(true)
    }
  }
}

function expectTruthAboutMembers(people: Person[], { members }: Site, oddities: string[]) {
  const rowOf = (person: Person) => members.find(({ struggles }) => struggles === person.identity)
  const linesOf = ({ of }: Person) => oddities.filter((line) => line.startsWith(`${of}: `)).join('\n')
  const stored = people.filter(rowOf)
  for (const person of stored) {
    const row = rowOf(person)
    const isNobodys = person.author.startsWith('nonMember')
    expect(row?.administrator).toBe(person.flag === true && !isNobodys)
    expect(row?.nonMemberId?.startsWith('nonMember') ?? false).toBe(isNobodys)
    if (person.flag === true) expect(linesOf(person)).toContain('管理者')
    if (person.email.includes('＠')) expect(linesOf(person)).toContain(person.email)
    for (const other of stored.filter((each) => each !== person)) {
      if (other.email && other.email.toLowerCase() === person.email.toLowerCase())
        expect(linesOf(person)).toContain(`「${person.email}」が、ほかのメンバーと同じです`)
      if (person.author && other.author === person.author)
        expect(linesOf(person) + linesOf(other)).toContain(person.author)
    }
  }
}

async function expectPictures(db: Kysely<Tables>, { shown }: MadeExport, { cards }: Site) {
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

// Who signs in with an address becomes an administrator where the report says so, and nowhere else.
async function expectPromisesKept(db: Kysely<Tables>, oddities: string[]) {
  const promised = oddities.flatMap((line) => /管理者として取り込みます。(\S+) の確認が済んだ方/.exec(line)?.[1] ?? [])
  const became: string[] = []
  const members = await db.selectFrom('members').select('email').where('administrator', '=', true).execute()
  // An account has an address to which mail can be sent.
  for (const { email } of members.filter((each) => isPlainEmail(each.email))) {
    const visitor = { accountId: `account of ${crypto.randomUUID()}`, name: '', email: email.toLowerCase() }
    const asked = { ...visitor, emailVerified: true, member: null, staff: null }
    const member = await adoptImportedMember(db, asked, new Date(noon).toISOString())
    if (member?.administrator) became.push(email)
  }
  expect(became.sort()).toEqual(promised.sort())
}
