import { expect, test, vi } from 'vitest'
import { onEachEngine } from '../db/testing.ts'
import { WAIT_OPTIONS } from '../db/testing-wait-options.ts'
import { readSettings } from './settings.ts'
import { browserOf, sampleSite } from './testing.ts'
import { readUntrustedProxy } from './untrusted-proxies.ts'

const HOUR = 60 * 60 * 1000
const FORWARDED_FOR = { 'x-forwarded-for': '198.51.100.4' }

onEachEngine((fresh) => {
  test('stores the untrusted sender of a forwarded request, at most once a day', async () => {
    const site = await sampleSite(await fresh(), readSettings({ TRUSTED_PROXY: '10.0.0.0/8' }))
    const visit = (address: string, headers: Record<string, string> = {}) =>
      browserOf(site, { address, headers }).get('/robots.txt')
    const stored = (ip: string) =>
      vi.waitFor(
        async () => expect(await readUntrustedProxy(site.db)).toEqual({ ip, at: site.clock.now }),
        WAIT_OPTIONS,
      )

    await visit('192.0.2.1')
    await visit('10.0.0.1', FORWARDED_FOR)
    await visit('::ffff:172.18.0.1', FORWARDED_FOR)
    await stored('172.18.0.1')

    const firstDay = site.clock.now
    site.clock.now += 23 * HOUR
    await visit('172.18.0.2', { forwarded: 'for=198.51.100.4' })
    expect(await readUntrustedProxy(site.db)).toEqual({ ip: '172.18.0.1', at: firstDay })
    site.clock.now += HOUR
    await visit('172.18.0.2', { forwarded: 'for=198.51.100.4' })
    await stored('172.18.0.2')
    site.clock.now -= 365 * 24 * HOUR
    await visit('172.18.0.3', FORWARDED_FOR)
    await stored('172.18.0.3')
    const marks = site.db.selectFrom('marks').where('name', 'like', 'untrusted proxy %')
    expect(await marks.select('name').execute()).toHaveLength(1)
    expect(site.logged.filter(({ level }) => Number(level) > 30)).toEqual([])
  })
})
