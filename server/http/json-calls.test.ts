import { expect, test } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { sampleSite } from '../testing.ts'

// biome-ignore lint/suspicious/noExplicitAny: each call has a body of its own shape
type ApiResponse = { status: number; allow: string | null; type: string; body: any }

const sentenceResponse = {
  type: expect.stringContaining('application/json'),
  body: { error: expect.stringMatching(/。$/) },
}

onEachEngine((fresh, engine) => {
  const onSqlite = test.runIf(engine === 'SQLite')

  const site = async () => {
    const sampleShop = await sampleSite(await fresh())
    await sampleShop.people()
    const send = async (
      method: string,
      path: string,
      requestBody?: BodyInit,
      type = 'application/json',
    ): Promise<ApiResponse> => {
      const response = await sampleShop.as('administrator', path, {
        method,
        headers: { origin: 'http://localhost', ...(typeof requestBody === 'string' && { 'content-type': type }) },
        ...(requestBody !== undefined && { body: requestBody }),
      })
      const text = await response.text()
      const contentType = response.headers.get('content-type') ?? ''
      const body = /json/.test(contentType) ? JSON.parse(text || 'null') : text
      return { status: response.status, allow: response.headers.get('allow'), type: contentType, body }
    }
    const call = (method: string, path: string, body?: unknown) =>
      send(method, `/api/collections/${path}`, body === undefined ? undefined : JSON.stringify(body))
    const revisions = () => sampleShop.db.selectFrom('revisions').select('id').execute()
    return { ...sampleShop, send, call, revisions }
  }

  test('stores the field `other` of a card without showing it on a page', async () => {
    const { call, db, as } = await site()
    const given = { title: 'おでん', content: '大根、玉子。', other: '仕入れは月曜' }
    const created = await call('POST', 'dining', given)
    expect([created.status, created.body.other]).toEqual([201, undefined])
    const stored = async () =>
      (await db.selectFrom('cards').select('other').where('id', '=', created.body.id).executeTakeFirstOrThrow()).other
    expect(await stored()).toBe('仕入れは月曜')
    const changed = await call('PATCH', `dining/${created.body.id}`, { version: 1, other: '仕入れは火曜' })
    expect([changed.status, changed.body.version]).toEqual([200, 2])
    expect(await stored()).toBe('仕入れは火曜')
    const retitled = await call('PATCH', `dining/${created.body.id}`, { version: 2, title: '関東煮' })
    expect(retitled.status).toBe(200)
    expect(await stored()).toBe('仕入れは火曜')
    expect(await (await as('guest', '/dining')).text()).not.toContain('仕入れは')
    for (const wrong of [5, null, ['a']]) {
      const refused = await call('PATCH', `dining/${created.body.id}`, { version: 3, other: wrong })
      expect([refused.status, refused.body.field], JSON.stringify(wrong)).toEqual([400, 'other'])
    }
  })

  const card = { title: '仕事', content: '中身' }
  const event = { title: '利き酒の会', date: '2026-11-26' }
  const closed = { selectedYear: 2026, selectedMonth: 12, selectedDay: 9, reason: '臨時休業' }
  const page = { id: 'p-parties', title: '貸切' }

  onSqlite.each([
    ['dining', { title: 'おでん' }, ['others', 'Title', 'youtubeUrl', 'soldOut']],
    ['vbacreate', card, ['price', 'colour']],
    ['sections', { name: '一品' }, ['order', 'title', 'hiddenUntil']],
    ['events', event, ['eventdate', 'other', 'day']],
    ['bussinessDaysSpecial', closed, ['other', 'first', 'starttime3_hour']],
    ['pages', page, ['other', 'place2']],
  ])('rejects a document of %s when it has an unknown field, and names the field', async (name, given, unknown) => {
    const { call, revisions } = await site()
    const before = await revisions()
    for (const field of unknown) {
      const refused = await call('POST', name, { ...given, [field]: 'x' })
      expect(refused, field).toMatchObject({ status: 400, body: { field, error: expect.stringContaining('項目') } })
    }
    expect(await revisions()).toEqual(before)
    const created = await call('POST', name, given)
    expect(created.status).toBe(201)
    for (const field of unknown) {
      const refused = await call('PATCH', `${name}/${created.body.id}`, { version: 1, [field]: 'x' })
      expect(refused, field).toMatchObject({ status: 400, body: { field } })
    }
    // A client may send back a whole document without changes.
    const echoed = await call('PATCH', `${name}/${created.body.id}`, created.body)
    const { version: _, updatedAt: __, ...same } = created.body
    expect(echoed).toMatchObject({ status: 200, body: same })
  })

  onSqlite('rejects unknown rows and fields of the week, and a changed date of a special day', async () => {
    const { call, revisions } = await site()
    await call('POST', 'bussinessDaysSpecial', closed)
    const before = await revisions()
    for (const [field, change] of [
      ['other', { other: 'x' }],
      ['schedule', { schedule: { 八曜日: { open_or_close: 'close' } } }],
      ['schedule', { schedule: { 土曜日: { starttime3_hour: '09' } } }],
    ] as const) {
      const refused = await call('PATCH', 'bussinessDays/week', { version: 1, ...change })
      expect([refused.status, refused.body.field], JSON.stringify(change)).toEqual([400, field])
    }
    const moved = await call('PATCH', 'bussinessDaysSpecial/2026-12-09', { version: 1, selectedDay: 10 })
    expect([moved.status, moved.body.field]).toEqual([400, 'selectedDay'])
    expect(await revisions()).toEqual(before)
  })

  onSqlite('rejects unknown fields of a member, a message and an image removal', async () => {
    const { call, send } = await site()
    const { body } = await call('GET', 'members')
    const refused = await call('PATCH', `members/${body[0].id}`, { version: 1, nickname: 'x' })
    expect([refused.status, refused.body.field]).toEqual([400, 'nickname'])
    const message = { to: 'shop', subject: '予約', text: '四人です。', from: 'guest@example.jp' }
    const copied = await send('POST', '/api/mail', JSON.stringify({ ...message, cc: 'other@example.jp' }))
    expect([copied.status, Object.keys(copied.body)]).toEqual([400, ['error']])
    const removal = await send('POST', '/api/delete', JSON.stringify({ filename: 'none-800.jpg', all: true }))
    expect([removal.status, removal.body.success]).toEqual([400, false])
  })

  onSqlite.each([
    ['/api/collections/dining', 'GET, HEAD, POST', ['PUT', 'PATCH', 'DELETE', 'OPTIONS']],
    ['/api/collections/dining/none', 'GET, HEAD, PATCH, DELETE', ['PUT', 'POST', 'OPTIONS']],
    ['/api/mail', 'POST', ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']],
    ['/api/upload', 'POST', ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']],
    ['/api/delete', 'POST', ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']],
    ['/api/health', 'GET, HEAD', ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']],
    ['/api/openapi.json', 'GET, HEAD', ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']],
    ['/api/live', 'GET, HEAD', ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']],
  ])('returns 405 in JSON with `Allow` when the method of %s is wrong', async (path, allow, methods) => {
    const { send } = await site()
    for (const method of methods) {
      const response = await send(method, path)
      expect(response, method).toMatchObject({ status: 405, allow, ...sentenceResponse })
    }
    const found = path.endsWith('none') ? 404 : 200
    expect((await send('HEAD', path)).status).toBe(allow.includes('HEAD') ? found : 405)
  })

  onSqlite.each(['/api', '/api/none', '/api/collections', '/api/collections/dining/a/b', '/api/mail/none'])(
    'returns 404 in JSON for the unknown path %s',
    async (path) => {
      const { send } = await site()
      for (const method of ['GET', 'POST', 'DELETE']) {
        const response = await send(method, path)
        expect(response, method).toMatchObject({ status: 404, ...sentenceResponse })
      }
    },
  )

  onSqlite(
    'rejects bad JSON, wrong content types and large bodies with the JSON error format of the endpoint',
    async () => {
      const { send } = await site()
      const error = ['error']
      const shapes = { '/api/collections/dining': error, '/api/mail': error, '/api/delete': ['message', 'success'] }
      for (const [path, shape] of Object.entries(shapes))
        for (const [status, body, type] of [
          [400, '{', 'application/json'],
          [415, '{}', 'text/plain'],
          [413, `{"a":"${'x'.repeat(600_000)}"}`, 'application/json'],
        ] as const) {
          const response = await send('POST', path, body, type)
          expect([response.status, response.type], `${path} ${status}`).toEqual([
            status,
            expect.stringContaining('json'),
          ])
          expect(Object.keys(response.body), `${path} ${status}`).toEqual(expect.arrayContaining(shape))
        }
      const upload = await send('POST', '/api/upload', 'x', 'text/plain')
      expect([upload.status, upload.body]).toEqual([415, { success: false, url: '', message: expect.any(String) }])
    },
  )
})
