import { describe, expect, test, vi } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { sampleSite } from '../../server/testing.ts'
import type { Person } from '../../server/tools/demo.ts'
import type { CollectionName } from '../cards/card.ts'
import { addCard, deleteCard, listCards } from '../cards/cards.server.ts'
import { endStaffIntent } from '../staff/staff-words.ts'

vi.setConfig({ testTimeout: 60_000 })

const DAY = 24 * 60 * 60_000
const specialDay = '2026-12-31'

onEachEngine((fresh) => {
  /** The sample shop, with one of each kind in the bin. */
  const site = async () => {
    const made = await sampleSite(await fresh())
    const visitors = await made.people()
    const { db, post, clock } = made
    const author = () => ({ accountId: 'demo-administrator', at: new Date(clock.now).toISOString() })
    const [dish] = await listCards(db, 'dining')
    const [work] = await listCards(db, 'vbacreate')
    const event = await db.selectFrom('events').selectAll().where('title', '=', '新そばの会').executeTakeFirstOrThrow()
    const member = visitors.applicant?.member?.id ?? ''
    const binned = { dish: dish?.id ?? '', work: work?.id ?? '', event: event.id, member }
    clock.now += 1000
    await deleteCard(db, { id: binned.dish, version: 1 }, author())
    clock.now += 1000
    await deleteCard(db, { id: binned.work, version: 1 }, author())
    clock.now += 1000
    await post('approved', '/calendar', { intent: 'delete', id: event.id, version: '1' })
    clock.now += 1000
    await post('approved', '/bussinessdays', { intent: 'remove', first: specialDay, version: '1' })
    clock.now += 1000
    await post('administrator', '/memberlist', { deed: 'delete', member })
    const html = async (person: Person, path = '/bin') => (await made.as(person, path)).text()
    const restore = async (person: Person, kind: string, id: string) =>
      (await post(person, '/bin', { kind, id })).status
    const shown = async (person: Person) => {
      const page = await html(person)
      return [...page.matchAll(/aria-label="「([^」]*)」を元に戻す"/g)].map(([, title]) => title)
    }
    return { ...made, binned, html, restore, shown }
  }
  const soba = '新そばの会（2026年11月22日）'
  const [rice, invoice, newYear] = ['季節の炊き込みご飯', '請求書を、ひと押しで', '2026年12月31日 年末年始休業']

  test('administrators see everything that was deleted, the last first, by whom and when; others what they may edit', async () => {
    const { html, shown } = await site()
    expect(await shown('administrator')).toEqual(['若葉 翔 さん', newYear, soba, invoice, rice])
    expect(await shown('approved')).toEqual([newYear, soba, rice])
    const page = await html('administrator')
    expect(page).toContain('2026年11月20日 12:00')
    expect(page).toMatch(new RegExp(`${soba}.*?桜井 花 さんが削除`))
    expect(page).toMatch(new RegExp(`${rice}.*?暖簾 結 さんが削除`))
    for (const person of ['guest', 'signedIn', 'applicant'] as const) {
      const closed = (await html(person)) + (await html(person, '/bin.data'))
      for (const title of ['新そばの会', rice, invoice]) expect(closed, person).not.toContain(title)
      if (person !== 'applicant') expect(closed).not.toContain('若葉 翔')
      expect(closed).toContain('この操作はスタッフと承認されたメンバーだけが行えます')
    }
  })

  test('each is put back where it was, in the history, and leaves the bin', async () => {
    const { restore, shown, binned, db, html } = await site()
    expect(await restore('approved', 'card', binned.dish)).toBe(200)
    expect(await restore('approved', 'event', binned.event)).toBe(200)
    expect(await restore('approved', 'specialDay', specialDay)).toBe(200)
    expect(await restore('administrator', 'card', binned.work)).toBe(200)
    expect(await restore('administrator', 'member', binned.member)).toBe(200)
    expect(await shown('administrator')).toEqual([])
    expect(await html('administrator')).toContain('ごみ箱は空です')
    expect(await html('guest', '/dining')).toContain(rice)
    expect(await html('guest', '/vbacreate')).toContain(invoice)
    const month = await html('guest', '/calendar?month=2026-12')
    expect(month).toContain('年末年始休業')
    expect(await html('guest', '/calendar?month=2026-11')).toContain('新そばの会')
    expect(await html('administrator', '/memberlist')).toContain('若葉 翔')

    const last = async (subjectId: string) => {
      const all = await db
        .selectFrom('revisions')
        .selectAll()
        .where('subjectId', '=', subjectId)
        .orderBy('at')
        .execute()
      const [before, after] = [all.at(-1)?.before, all.at(-1)?.after]
      return [all.at(-1)?.accountId, before === null || JSON.parse(before ?? '').deletedAt !== null, after !== null]
    }
    for (const id of [binned.dish, binned.event, specialDay, binned.work, binned.member])
      expect(await last(id), id).toEqual([expect.stringMatching(/^demo-/), true, true])
  })

  test('a second restore, and what is not in the bin, is answered with 404, and changes nothing', async () => {
    const { restore, binned, db } = await site()
    expect(await restore('approved', 'event', binned.event)).toBe(200)
    const count = () => db.selectFrom('revisions').select('id').execute()
    const before = (await count()).length
    expect(await restore('approved', 'event', binned.event)).toBe(404)
    for (const kind of ['card', 'event', 'specialDay', 'member'])
      expect(await restore('administrator', kind, 'none\0'), kind).toBe(404)
    expect(await restore('administrator', 'specialDay', '2027-01-01')).toBe(404)
    expect(await restore('administrator', 'site', 'site')).toBe(404)
    expect(await restore('administrator', 'answer', 'none')).toBe(400)
    expect((await count()).length).toBe(before)
  })

  test('what was put back is told by its name; what could not be, why, once', async () => {
    const { post, binned } = await site()
    const restore = async () => (await post('administrator', '/bin.data', { kind: 'event', id: binned.event })).text()
    expect((await restore()).split(`「${soba}」を元に戻しました。`)).toHaveLength(2)
    expect((await restore()).split('ほかの方が先に元に戻したようです。')).toHaveLength(2)
  })

  describe('with more than one page', () => {
    /** The site with 52 dishes and 3 works in the bin besides, each a second later than the one before. */
    const filled = async () => {
      const made = await site()
      const { db, clock, html, post } = made
      const bin = async (collection: CollectionName, title: string) => {
        clock.now += 1000
        const author = { accountId: null, at: new Date(clock.now).toISOString() }
        const id = await addCard(db, collection, { title, content: '' }, author)
        await deleteCard(db, { id, version: 1 }, author)
        return id
      }
      const first = await bin('dining', 'お品1')
      for (let number = 2; number <= 52; number += 1) await bin('dining', `お品${number}`)
      for (let number = 1; number <= 3; number += 1) await bin('vbacreate', `作品${number}`)
      const listed = (page: string) =>
        [...page.matchAll(/aria-label="「([^」]*)」を元に戻す"/g)].map(([, title]) => title)
      const shownOn = async (person: Person, page: string) => listed(await html(person, `/bin?page=${page}`))
      const restoreFrom = async (page: number, id: string) =>
        listed(await (await post('administrator', `/bin?page=${page}`, { kind: 'card', id })).text())
      return { ...made, first, shownOn, restoreFrom }
    }
    const dishes = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, n) => `お品${from - n}`)
    const older = ['若葉 翔 さん', newYear, soba, invoice, rice]

    test('lists the rest on the second page, and nothing twice', async () => {
      const { shownOn } = await filled()
      expect(await shownOn('administrator', '1')).toEqual(['作品3', '作品2', '作品1', ...dishes(52, 6)])
      expect(await shownOn('administrator', '2')).toEqual([...dishes(5, 1), ...older])
    })

    test('counts for a member only the records that the member may restore', async () => {
      const { shownOn } = await filled()
      expect(await shownOn('approved', '1')).toEqual(dishes(52, 3))
      expect(await shownOn('approved', '2')).toEqual([...dishes(2, 1), newYear, soba, rice])
    })

    test('links from each page to the next and the one before', async () => {
      const { html } = await filled()
      const links = async (page: number) =>
        [...(await html('administrator', `/bin?page=${page}`)).matchAll(/href="(\/bin\?page=\d)"/g)].map(([, to]) => to)
      expect([await links(1), await links(2)]).toEqual([['/bin?page=2'], ['/bin?page=1']])
    })

    test.each(['3', '99999999999999999999', 'Infinity'])(
      'shows the last page when page %s is beyond it',
      async (page) => {
        const { shownOn } = await filled()
        expect(await shownOn('administrator', page)).toEqual([...dishes(5, 1), ...older])
      },
    )

    test.each(['0', '-1', 'none', '1e-9'])('shows the first page when page %s is none', async (page) => {
      const { shownOn } = await filled()
      expect((await shownOn('administrator', page))[0]).toBe('作品3')
    })

    test('stays on the second page after a restore there', async () => {
      const { restoreFrom, first, html } = await filled()
      expect(await restoreFrom(2, first)).toEqual([...dishes(5, 2), ...older])
      expect(await html('guest', '/dining')).toContain('お品1')
    })
  })

  test('restores a page of the owner and a person of the shop', async () => {
    const { post, staff, restore, shown, html, db } = await site()
    const { editor } = await staff()
    const id = editor?.staff?.id ?? ''
    await post('administrator', '/pages', { title: '店のこと', name: 'about' })
    await post('administrator', '/pages/p-about/edit', { intent: 'delete', version: '1' })
    await post('administrator', '/staff', { intent: endStaffIntent(id), id, version: '1' })
    expect(await shown('administrator')).toEqual(expect.arrayContaining(['店のこと', '土鍋 実 さん']))
    expect(await shown('approved')).toEqual([newYear, soba, rice])
    expect([await restore('administrator', 'page', 'p-about'), await restore('administrator', 'staff', id)]).toEqual([
      200, 200,
    ])
    expect(await html('administrator', '/pages')).toContain('店のこと')
    expect(await db.selectFrom('staff').select('deletedAt').where('id', '=', id).executeTakeFirst()).toEqual({
      deletedAt: null,
    })
  })

  test('nobody puts back what they may not edit', async () => {
    const { restore, binned, shown } = await site()
    const ids = { card: binned.dish, event: binned.event, specialDay, member: binned.member }
    for (const [kind, id] of Object.entries(ids)) {
      expect(await restore('guest', kind, id), kind).toBe(401)
      expect(await restore('signedIn', kind, id), kind).toBe(403)
      expect(await restore('applicant', kind, id), kind).toBe(403)
    }
    expect(await restore('approved', 'card', binned.work)).toBe(403)
    expect(await restore('approved', 'member', binned.member)).toBe(403)
    expect(await shown('administrator')).toHaveLength(5)
  })

  test('after ninety days it is no longer listed; until then it is', async () => {
    const { clock, shown } = await site()
    clock.now += 90 * DAY - 2000
    expect(await shown('administrator')).toEqual(['若葉 翔 さん', newYear, soba])
    clock.now += 2001
    expect(await shown('administrator')).toEqual([])
  })

  test('a special day that was set again is not in the bin, one that was removed twice is in it once', async () => {
    const { restore, shown, post, clock } = await site()
    expect(await restore('approved', 'specialDay', specialDay)).toBe(200)
    clock.now += 1000
    const { status } = await post('approved', '/bussinessdays', { intent: 'remove', first: specialDay, version: '3' })
    expect(status).toBe(302)
    expect((await shown('approved')).filter((title) => title === newYear)).toHaveLength(1)
  })
})
