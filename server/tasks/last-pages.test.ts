import { sql } from 'kysely'
import pino from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { onEachEngine } from '../../db/testing.ts'
import { WAIT_OPTIONS } from '../../db/testing-wait-options.ts'
import { sampleSite } from '../testing.ts'
import { startRenderingLastPages } from './last-pages.ts'

const log = pino({ level: 'silent' })

onEachEngine((fresh) => {
  test('shows the last version of a page that no guest has opened before an outage', async () => {
    const { app, db, clock, text, logged } = await sampleSite(await fresh())
    const origin = 'http://localhost'
    const stop = startRenderingLastPages(app, { db, log, origin })
    onTestFinished(stop)
    const isRendered = (path: string) => logged.some((line) => line.path === path && line.status === 200)
    await vi.waitFor(() => expect(isRendered('/privacy')).toBe(true), WAIT_OPTIONS)
    await stop()

    clock.now += 60_000
    await sql`alter table "cards" rename to "away"`.execute(db)
    const page = await text('/dining')
    expect(page).toMatch(/data-as-of[^>]*>ただいま最新の内容を読み込めないため、/)
    expect(page).not.toMatch(/<p[^>]*>お料理はただいま準備しております/)
    expect(logged.filter(({ path }) => path === '/today')).toEqual([])
  })
})
