import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { readPageToEdit, savePage } from '../../app/pages/pages.server.ts'
import { onEachEngine } from '../../db/testing.ts'
import { backupFolder, freshBackup } from '../tasks/backups.ts'
import { browserOf, jsonCall, noon, sampleSite } from '../testing.ts'
import { demoAccounts, openAccounts } from '../tools/demo.ts'

const origin = 'http://localhost'
const password = 'miso-soup-12'
const json = { 'content-type': 'application/json' }
const specialDay = { selectedYear: 2026, selectedMonth: 12, selectedDay: 9, reason: '臨時休業' }

/** Writes of the API with `:id` for the ID of the first document, or of the other member. */
const writes = [
  ['POST', 'dining', { title: '湯葉', content: '引き上げたばかり' }],
  ['PATCH', 'dining/:id', { title: '湯葉' }],
  ['DELETE', 'dining/:id', {}],
  ['POST', 'events', { title: '利き酒の会', date: '2026-11-26' }],
  ['PATCH', 'events/:id', { title: '利き酒の会' }],
  ['DELETE', 'events/:id', {}],
  ['PATCH', 'bussinessDays/:id', { schedule: { closedDaysFirst: false } }],
  ['DELETE', 'bussinessDays/:id', {}],
  ['POST', 'bussinessDaysSpecial', specialDay],
  ['POST', 'pages', { id: 'p-about', title: '店のこと' }],
  ['PATCH', 'pages/access', { title: '道順' }],
  ['PATCH', 'members/:id', { username: '別の名前' }],
  ['DELETE', 'members/:id', {}],
] as const

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  /** `send` sends a request of the administrator, and runs `meanwhile` after the early checks, before the body arrives. */
  const site = async (parts: Parameters<typeof sampleSite>[2] = {}) => {
    const db = await fresh()
    const made = await sampleSite(db, {}, parts)
    await made.people()
    await openAccounts(db, password, noon)
    const browser = browserOf(made)
    const signIn = () => browser.post('/emaillogin', { email: demoAccounts.administrator.email, password })
    await signIn()
    const send = async (path: string, sent: RequestInit, meanwhile: () => Promise<unknown>) => {
      const { method, headers, body } = new Request(`${origin}${path}`, sent)
      const bytes = new Uint8Array(await new Response(body).arrayBuffer())
      const [reading, meantime] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const source: UnderlyingSource = {
        async pull(controller) {
          reading.resolve()
          await meantime.promise
          controller.enqueue(bytes)
          controller.close()
        },
      }
      // Without a buffer, so that nothing is pulled before the server reads.
      const held = new ReadableStream(source, { highWaterMark: 0 })
      const type = headers.get('content-type') ?? ''
      const init = { method, headers: { origin, 'content-type': type }, body: held, duplex: 'half' } as RequestInit
      const response = browser.send(path, init)
      const isRead = await Promise.race([reading.promise.then(() => true), response.then(() => false)])
      expect(isRead, `${method} ${path} passes the early check`).toBe(true)
      await meanwhile()
      meantime.resolve()
      return response
    }
    const endSessions = () => db.deleteFrom('sessions').execute()
    const setRight = (administrator: boolean) =>
      db
        .updateTable('members')
        .set({ administrator, admin: administrator })
        .where('accountId', '=', demoAccounts.administrator.accountId)
        .execute()
    return { ...made, browser, signIn, send, endSessions, setRight }
  }
  type Site = Awaited<ReturnType<typeof site>>

  describe.each([
    ['the session', 401, { end: (made: Site) => made.endSessions(), restore: (made: Site) => made.signIn() }],
    ['the right', 403, { end: (made: Site) => made.setRight(false), restore: (made: Site) => made.setRight(true) }],
  ] as const)('a request during which %s ends', (_, status, { end, restore }) => {
    test('writes nothing through the collections', async () => {
      const made = await site()
      const revisions = () => made.db.selectFrom('revisions').select('id').orderBy('id').execute()
      const before = await revisions()
      for (const [method, target, fields] of writes) {
        const name = target.split('/')[0]
        const response = await made.browser.get(`/api/collections/${name}`)
        const documents = (await response.json()) as { id: string; version: number; username?: string }[]
        const other = documents.find(({ username }) => username !== demoAccounts.administrator.name) ?? documents[0]
        const path = target.replace(':id', other?.id ?? '')
        const version = documents.find(({ id }) => path === `${name}/${id}`)?.version
        const sent = jsonCall(method === 'POST' ? fields : { ...fields, version }, method)
        const late = await made.send(`/api/collections/${path}`, sent, () => end(made))
        expect([late.status, await late.json()], `${method} ${path}`).toEqual([status, { error: expect.any(String) }])
        expect(await revisions(), `${method} ${path}`).toEqual(before)
        await restore(made)
      }
    })

    onSqlite('stores no image', async () => {
      const made = await site()
      const body = await formWithImage('#b33')
      const late = await made.send('/api/upload', { method: 'POST', body }, () => end(made))
      expect([late.status, await late.json()]).toMatchObject([status, { success: false, url: '' }])
      expect(await made.db.selectFrom('pictures').select('name').execute()).toEqual([])
    })

    test('removes no image', async () => {
      const made = await site()
      const sent = { method: 'POST', body: await formWithImage('#3b3'), headers: { origin } }
      const { url } = (await (await made.browser.send('/api/upload', sent)).json()) as { url: string }
      const pictures = () => made.db.selectFrom('pictures').select('name').execute()
      const before = await pictures()
      expect(before).toHaveLength(1)
      const body = JSON.stringify({ filename: url.split('/').at(-1) })
      const late = await made.send('/api/delete', { method: 'POST', body, headers: json }, () => end(made))
      expect([late.status, await late.json()]).toMatchObject([status, { success: false }])
      expect(await pictures()).toEqual(before)
    })

    onSqlite('sends no backup when the permission ends before the download starts', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'noren-late-'))
      const made: Site = await site({
        freshBackup: () =>
          freshBackup(folder, async (file) => {
            writeFileSync(file, 'SECRET')
            await end(made)
          }),
      })
      const html = await (await made.browser.post('/backup', { current: password })).text()
      const [path = ''] = /\/backup\/file\?permit=[\w.-]+/.exec(html) ?? []
      const late = await made.browser.get(path)
      expect([late.status, late.headers.get('content-disposition')]).toEqual([status, null])
      expect(await late.text()).not.toContain('SECRET')
      expect(readdirSync(backupFolder(folder))).toEqual([])
    })
  })

  onSqlite('rejects a message when the contact page is hidden while the body arrives', async () => {
    const { db, send } = await site()
    const hide = async () => {
      const version = (await readPageToEdit(db, 'mail'))?.version ?? 0
      await savePage(db, 'mail', { version, facts: { shown: false } }, { accountId: null, at: '2026-11-20T00:00:00Z' })
    }
    const message = { to: 'shop', subject: '席のご相談', text: '五名で', from: 'hana@example.jp' }
    expect((await send('/api/mail', jsonCall(message), hide)).status).toBe(404)
    expect(await db.selectFrom('messages').select('id').execute()).toEqual([])
  })
})

async function formWithImage(background: string) {
  const image = sharp({ create: { width: 8, height: 8, channels: 3, background } })
  const form = new FormData()
  form.append('image', new File([new Uint8Array(await image.png().toBuffer())], 'photo.png', { type: 'image/png' }))
  return form
}
