import { describe, expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { sampleSite } from '../../server/testing.ts'
import type { Person } from '../../server/tools/demo.ts'
import type { CollectionName } from '../cards/card.ts'
import { addCard, deleteCard, listCards } from '../cards/cards.server.ts'
import { endStaffIntent } from '../staff/staff.ts'

const DAY = 24 * 60 * 60_000
const specialDay = '2026-12-31'

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  /** Creates the sample site with two cards, an event, a special day and a member in the bin. */
  const site = async () => {
    const sample = await sampleSite(await fresh())
    const visitors = await sample.people()
    const { db, post, clock } = sample
    const author = () => ({ accountId: 'demo-administrator', at: new Date(clock.now).toISOString() })
    const [dish] = await listCards(db, 'dining')
    const [work] = await listCards(db, 'vbacreate')
    const event = await db.selectFrom('events').selectAll().where('title', '=', '新そばの会').executeTakeFirstOrThrow()
    const member = visitors.applicant?.member?.id ?? ''
    const deletedIds = { dish: dish?.id ?? '', work: work?.id ?? '', event: event.id, member }
    clock.now += 1000
    await deleteCard(db, { id: deletedIds.dish, version: 1 }, author())
    clock.now += 1000
    await deleteCard(db, { id: deletedIds.work, version: 1 }, author())
    clock.now += 1000
    await post('approved', '/calendar', { intent: 'delete', id: event.id, version: '1' })
    clock.now += 1000
    await post('approved', '/bussinessdays', { intent: 'remove', first: specialDay, version: '1' })
    clock.now += 1000
    await post('administrator', '/memberlist', { deed: 'delete', member })
    const html = async (person: Person, path = '/bin') => (await sample.as(person, path)).text()
    const restore = async (person: Person, kind: string, id: string) =>
      (await post(person, '/bin', { kind, id })).status
    const listedTitles = async (person: Person) => {
      const page = await html(person)
      return [...page.matchAll(/aria-label="「([^」]*)」を元に戻す"/g)].map(([, title]) => title)
    }
    return { ...sample, deletedIds, html, restore, listedTitles }
  }
  const soba = '新そばの会（2026年11月22日）'
  const [rice, invoice, newYear] = ['季節の炊き込みご飯', '請求書を、ひと押しで', '2026年12月31日 年末年始休業']

  onSqlite('lists only the deletions that the visitor may restore', async () => {
    const { html, listedTitles } = await site()
    expect(await listedTitles('administrator')).toEqual(['若葉 翔 さん', newYear, soba, invoice, rice])
    expect(await listedTitles('approved')).toEqual([newYear, soba, rice])
    const page = await html('administrator')
    expect(page).toContain('2026年11月20日 12:00')
    expect(page).toMatch(new RegExp(`${soba}.*?桜井 花 さんが削除`))
    expect(page).toMatch(new RegExp(`${rice}.*?暖簾 結 さんが削除`))
    for (const person of ['guest', 'signedIn', 'applicant'] as const) {
      const closedHtml = (await html(person)) + (await html(person, '/bin.data'))
      for (const title of ['新そばの会', rice, invoice]) expect(closedHtml, person).not.toContain(title)
      if (person !== 'applicant') expect(closedHtml).not.toContain('若葉 翔')
      expect(closedHtml).toContain('この操作はスタッフと承認されたメンバーだけが行えます')
    }
  })

  test('restores each record to its page with a new revision', async () => {
    const { restore, listedTitles, deletedIds, db, html } = await site()
    expect(await restore('approved', 'card', deletedIds.dish)).toBe(200)
    expect(await restore('approved', 'event', deletedIds.event)).toBe(200)
    expect(await restore('approved', 'specialDay', specialDay)).toBe(200)
    expect(await restore('administrator', 'card', deletedIds.work)).toBe(200)
    expect(await restore('administrator', 'member', deletedIds.member)).toBe(200)
    expect(await listedTitles('administrator')).toEqual([])
    expect(await html('administrator')).toContain('ごみ箱は空です')
    expect(await html('guest', '/dining')).toContain(rice)
    expect(await html('guest', '/vbacreate')).toContain(invoice)
    const month = await html('guest', '/calendar?month=2026-12')
    expect(month).toContain('年末年始休業')
    expect(await html('guest', '/calendar?month=2026-11')).toContain('新そばの会')
    expect(await html('administrator', '/memberlist')).toContain('若葉 翔')

    const lastRevision = async (subjectId: string) => {
      const all = await db
        .selectFrom('revisions')
        .selectAll()
        .where('subjectId', '=', subjectId)
        .orderBy('at')
        .execute()
      const [before, after] = [all.at(-1)?.before, all.at(-1)?.after]
      return [all.at(-1)?.accountId, before === null || JSON.parse(before ?? '').deletedAt !== null, after !== null]
    }
    for (const id of [deletedIds.dish, deletedIds.event, specialDay, deletedIds.work, deletedIds.member])
      expect(await lastRevision(id), id).toEqual([expect.stringMatching(/^demo-/), true, true])
  })

  test('rejects a restore with 404 when the record is not in the bin', async () => {
    const { restore, deletedIds, db } = await site()
    expect(await restore('approved', 'event', deletedIds.event)).toBe(200)
    const count = () => db.selectFrom('revisions').select('id').execute()
    const before = (await count()).length
    expect(await restore('approved', 'event', deletedIds.event)).toBe(404)
    for (const kind of ['card', 'event', 'specialDay', 'member'])
      expect(await restore('administrator', kind, 'none\0'), kind).toBe(404)
    expect(await restore('administrator', 'specialDay', '2027-01-01')).toBe(404)
    expect(await restore('administrator', 'site', 'site')).toBe(404)
    expect(await restore('administrator', 'answer', 'none')).toBe(400)
    expect((await count()).length).toBe(before)
  })

  onSqlite('shows the result of a restore only once', async () => {
    const { post, deletedIds } = await site()
    const restore = async () =>
      (await post('administrator', '/bin.data', { kind: 'event', id: deletedIds.event })).text()
    expect((await restore()).split(`「${soba}」を元に戻しました。`)).toHaveLength(2)
    expect((await restore()).split('すでに元に戻されているようです。')).toHaveLength(2)
  })

  describe('bin with more than one page', () => {
    /** Creates a site with 52 more dishes and 3 more portfolio cards in the bin, deleted one second apart. */
    const siteWithFullBin = async () => {
      const filledSite = await site()
      const { db, clock, html, post } = filledSite
      const addToBin = async (collection: CollectionName, title: string) => {
        clock.now += 1000
        const author = { accountId: null, at: new Date(clock.now).toISOString() }
        const id = await addCard(db, collection, { title, content: '' }, author)
        await deleteCard(db, { id, version: 1 }, author)
        return id
      }
      const first = await addToBin('dining', 'お品1')
      for (let number = 2; number <= 52; number += 1) await addToBin('dining', `お品${number}`)
      for (let number = 1; number <= 3; number += 1) await addToBin('vbacreate', `作品${number}`)
      const titlesIn = (page: string) =>
        [...page.matchAll(/aria-label="「([^」]*)」を元に戻す"/g)].map(([, title]) => title)
      const titlesOnPage = async (person: Person, page: string) => titlesIn(await html(person, `/bin?page=${page}`))
      const restoreFrom = async (page: number, id: string) =>
        titlesIn(await (await post('administrator', `/bin?page=${page}`, { kind: 'card', id })).text())
      return { ...filledSite, first, titlesOnPage, restoreFrom }
    }
    const dishes = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, n) => `お品${from - n}`)
    const olderTitles = ['若葉 翔 さん', newYear, soba, invoice, rice]

    test('lists the oldest deletions on the second page', async () => {
      const { titlesOnPage } = await siteWithFullBin()
      expect(await titlesOnPage('administrator', '1')).toEqual(['作品3', '作品2', '作品1', ...dishes(52, 6)])
      expect(await titlesOnPage('administrator', '2')).toEqual([...dishes(5, 1), ...olderTitles])
    })

    test('fills the pages of a member only with records that the member may restore', async () => {
      const { titlesOnPage } = await siteWithFullBin()
      expect(await titlesOnPage('approved', '1')).toEqual(dishes(52, 3))
      expect(await titlesOnPage('approved', '2')).toEqual([...dishes(2, 1), newYear, soba, rice])
    })

    onSqlite('links to the next and the previous page', async () => {
      const { html } = await siteWithFullBin()
      const links = async (page: number) =>
        [...(await html('administrator', `/bin?page=${page}`)).matchAll(/href="(\/bin\?page=\d)"/g)].map(([, to]) => to)
      expect([await links(1), await links(2)]).toEqual([['/bin?page=2'], ['/bin?page=1']])
    })

    onSqlite.each(['3', '99999999999999999999', 'Infinity'])(
      'shows the last page when page %s is beyond the end',
      async (page) => {
        const { titlesOnPage } = await siteWithFullBin()
        expect(await titlesOnPage('administrator', page)).toEqual([...dishes(5, 1), ...olderTitles])
      },
    )

    onSqlite.each(['0', '-1', 'none', '1e-9'])('shows the first page when "%s" is not a page number', async (page) => {
      const { titlesOnPage } = await siteWithFullBin()
      expect((await titlesOnPage('administrator', page))[0]).toBe('作品3')
    })

    onSqlite('stays on the second page after a restore from this page', async () => {
      const { restoreFrom, first, html } = await siteWithFullBin()
      expect(await restoreFrom(2, first)).toEqual([...dishes(5, 2), ...olderTitles])
      expect(await html('guest', '/dining')).toContain('お品1')
    })
  })

  test('restores a staff record and a page that an administrator has created', async () => {
    const { post, staff, restore, listedTitles, html, db } = await site()
    const { editor } = await staff()
    const id = editor?.staff?.id ?? ''
    await post('administrator', '/pages', { title: '店のこと', name: 'about' })
    await post('administrator', '/pages/p-about/edit', { intent: 'delete', version: '1' })
    await post('administrator', '/staff', { intent: endStaffIntent(id), id, version: '1' })
    expect(await listedTitles('administrator')).toEqual(expect.arrayContaining(['店のこと', '土鍋 実 さん']))
    expect(await listedTitles('approved')).toEqual([newYear, soba, rice])
    expect([await restore('administrator', 'page', 'p-about'), await restore('administrator', 'staff', id)]).toEqual([
      200, 200,
    ])
    expect(await html('administrator', '/pages')).toContain('店のこと')
    expect(await db.selectFrom('staff').select('deletedAt').where('id', '=', id).executeTakeFirst()).toEqual({
      deletedAt: null,
    })
  })

  onSqlite('rejects a restore by a visitor who may not edit the record', async () => {
    const { restore, deletedIds, listedTitles } = await site()
    const ids = { card: deletedIds.dish, event: deletedIds.event, specialDay, member: deletedIds.member }
    for (const [kind, id] of Object.entries(ids)) {
      expect(await restore('guest', kind, id), kind).toBe(401)
      expect(await restore('signedIn', kind, id), kind).toBe(403)
      expect(await restore('applicant', kind, id), kind).toBe(403)
    }
    expect(await restore('approved', 'card', deletedIds.work)).toBe(403)
    expect(await restore('approved', 'member', deletedIds.member)).toBe(403)
    expect(await listedTitles('administrator')).toHaveLength(5)
  })

  test('lists deletions in the bin for ninety days', async () => {
    const { clock, listedTitles } = await site()
    clock.now += 90 * DAY - 2000
    expect(await listedTitles('administrator')).toEqual(['若葉 翔 さん', newYear, soba])
    clock.now += 2001
    expect(await listedTitles('administrator')).toEqual([])
  })

  test('lists a special day once when the special day was deleted twice', async () => {
    const { restore, listedTitles, post, clock } = await site()
    expect(await restore('approved', 'specialDay', specialDay)).toBe(200)
    clock.now += 1000
    const { status } = await post('approved', '/bussinessdays', { intent: 'remove', first: specialDay, version: '3' })
    expect(status).toBe(302)
    expect((await listedTitles('approved')).filter((title) => title === newYear)).toHaveLength(1)
  })
})
