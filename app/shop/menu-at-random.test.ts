import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Db } from '../../db/tables.ts'
import { onEachEngine } from '../../db/testing.ts'
import { often } from '../../scripts/abuse.ts'
import { addCard, deleteCard, listCards, readCard, reorderCards, saveCard } from '../cards/cards.server.ts'
import { toSequence } from '../cards/reorder.ts'
import { groupBySection } from '../cards/sections-of-cards.ts'
import { recordTypes } from '../owner/record-types.server.ts'
import { undoSave } from '../records/undo.server.ts'
import { deleteSection, hideSection, listSections, readSection, saveSection } from '../sections/sections.server.ts'

const kinds = ['add', 'edit', 'delete', 'reorder', 'hide', 'add section', 'rename', 'delete section', 'undo'] as const
const step = fc.record({ kind: fc.constantFrom(...kinds), pick: fc.nat(1000), further: fc.nat(1000) })
const edits = fc.array(fc.tuple(step, step), { minLength: 3, maxLength: 8 })

onEachEngine((fresh, engine) => {
  test('two editors who change the menu at the same time lose nothing and leave one order', async () => {
    const db = await fresh()
    await fc.assert(
      fc.asyncProperty(edits, async (rounds) => {
        await db.deleteFrom('cards').execute()
        await db.deleteFrom('menuSections').execute()
        await checkRounds(db, rounds)
      }),
      { numRuns: often(engine === 'SQLite' ? 40 : 15, 1000), seed: 48, endOnFailure: true },
    )
  })
})

type Step = { kind: (typeof kinds)[number]; pick: number; further: number }

async function checkRounds(db: Db, rounds: [Step, Step][]) {
  /** The titles of the dishes by ID, after the last acknowledged save. Both editors may save at the same time. */
  const titles = new Map<string, Set<string>>()
  const deleted = new Set<string>()
  const saves: string[] = []
  for (const index of [1, 2, 3]) {
    const id = await addCard(db, 'dining', { title: `始め${index}`, order: index }, author(0))
    titles.set(id, new Set([`始め${index}`]))
  }
  for (const [count, round] of rounds.entries()) {
    const before = await readMenu(db)
    const done = await Promise.all(
      round.map((each, editor) => act(db, each, { before, saves, name: `${count}-${editor}` })),
    )
    const savedTitles = new Map<string, Set<string>>()
    for (const { id, title, isDeletion, save } of done.filter((each) => each !== null)) {
      if (save) saves.push(save)
      if (isDeletion) deleted.add(id)
      if (title) savedTitles.set(id, (savedTitles.get(id) ?? new Set()).add(title))
    }
    for (const [id, values] of savedTitles) titles.set(id, values)
    await checkMenu(db)
    // An undo may restore or remove any record, so what is stored becomes what is known.
    if (round.some(({ kind }) => kind === 'undo')) {
      for (const id of titles.keys()) {
        const card = await readCard(db, id)
        if (card) {
          titles.set(id, new Set([card.title]))
          deleted.delete(id)
        } else deleted.add(id)
      }
    }
    for (const [id, values] of titles) {
      const card = await readCard(db, id)
      if (deleted.has(id)) expect(card).toBeNull()
      else expect([...values]).toContain(card?.title)
    }
  }
  const { sequence: seen } = await readMenu(db)
  const wanted = seen.toReversed()
  await reorderCards(db, 'dining', { seen, wanted }, author(0))
  expect((await readMenu(db)).sequence).toEqual(wanted)
}

const author = (editor: number) => ({ accountId: `editor${editor}`, at: '2026-11-20T03:00:00.000Z' })

async function readMenu(db: Db) {
  const [sections, cards] = [await listSections(db), await listCards(db, 'dining', { drafts: true })]
  return { sections, cards, sequence: toSequence(groupBySection(sections, cards)) }
}

async function checkMenu(db: Db) {
  const { sections, cards, sequence } = await readMenu(db)
  expect(new Set(sequence).size).toBe(sequence.length)
  expect(sequence).toHaveLength(sections.length + cards.length)
}

type Known = { before: Awaited<ReturnType<typeof readMenu>>; saves: string[]; name: string }
type Acknowledged = { id: string; title?: string; isDeletion?: boolean; save?: string | null }

async function act(db: Db, { kind, pick, further }: Step, known: Known): Promise<Acknowledged | null> {
  const { before, saves, name } = known
  const editor = author(Number(name.at(-1)))
  const card = before.cards[pick % Math.max(1, before.cards.length)]
  const section = before.sections[pick % Math.max(1, before.sections.length)]
  switch (kind) {
    case 'add': {
      const target = before.sections[further % (before.sections.length + 1)]?.id ?? ''
      const added = addCard(db, 'dining', { title: name, section: target }, editor)
      // The section may have been deleted at the same time.
      const id = await added.catch(() => null)
      return id === null ? null : { id, title: name }
    }
    case 'edit': {
      if (!card) return null
      const saved = await saveCard(db, { id: card.id, version: card.version }, { title: name }, editor)
      return saved.ok ? { id: card.id, title: name, save: saved.ok.save } : null
    }
    case 'delete': {
      const result = card && (await deleteCard(db, { id: card.id, version: card.version }, editor))
      return result?.ok ? { id: card?.id ?? '', isDeletion: true, save: result.ok } : null
    }
    case 'reorder': {
      const seen = before.sequence
      const wanted = seen.toSorted((a, b) => hash(a, further) - hash(b, further))
      const result = await reorderCards(db, 'dining', { seen, wanted }, editor)
      if (!result.ok) return null
      return { id: '', save: result.ok }
    }
    case 'hide':
      if (section) await hideSection(db, section.id, further % 2 ? '2026-11-21T11:00' : '', editor)
      return null
    case 'add section':
      await saveSection(db, crypto.randomUUID(), { version: 0, facts: { name } }, editor)
      return null
    case 'rename': {
      if (!section) return null
      const seen = { version: section.version, facts: { name } }
      // The section may have been deleted at the same time.
      const saved = await saveSection(db, section.id, seen, editor).catch(() => null)
      const stored = saved?.ok ? await readSection(db, section.id) : null
      if (stored) expect(stored.name).toMatch(/^\d+-\d$/)
      return null
    }
    case 'delete section':
      if (section) await deleteSection(db, { id: section.id, version: section.version }, editor)
      return null
    case 'undo': {
      const save = saves[pick % Math.max(1, saves.length)]
      if (save) await undoSave(db, recordTypes, save, editor)
      return null
    }
  }
}

function hash(text: string, seed: number) {
  return [...text].reduce((sum, character) => (sum * 31 + character.charCodeAt(0) + seed) % 10_007, seed)
}
