import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { describe, expect, test } from 'vitest'
import { readSettings } from './settings.ts'

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const guide = read('docs/running-the-site.md')
const publishing = guide.slice(guide.indexOf('\n## 公開する\n'))
const commands = [...publishing.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block)

describe('publishing guide', () => {
  test('contains valid settings with an owner and without the sample shop', () => {
    const settings = readSettings(parseEnv(commands.find((block) => block.includes('PUBLIC_ORIGIN=')) ?? ''))
    expect(settings).toMatchObject({
      sampleShop: false,
      ownerEmail: 'hanako@example.jp',
      publicOrigin: 'https://example.jp',
    })
  })

  test('allows SSH before it enables the firewall', () => {
    const [firewall = ''] = commands.filter((block) => block.includes('ufw enable'))
    expect(firewall.indexOf('ufw allow OpenSSH')).toBeGreaterThanOrEqual(0)
    expect(firewall.indexOf('ufw allow OpenSSH')).toBeLessThan(firewall.indexOf('ufw enable'))
    expect(firewall).toContain('ufw allow 80,443/tcp')
  })

  test('contains the only URL of the repository in the documents', () => {
    const all = ['README.md', 'docs/running-the-site.md', 'docs/for-the-shop.md', 'SECURITY.md'].map(read).join('\n')
    expect(all.match(/https:\/\/[^\s)]*noren\.git/g)).toHaveLength(1)
  })
})

test('accepts each setting of .env.example when its line is uncommented', () => {
  const lines = read('.env.example').match(/^#[A-Z_]+=.+$/gm) ?? []
  expect(lines.length).toBeGreaterThan(10)
  // Some settings are valid only together with these two.
  const requiredSettings = ['PUBLIC_ORIGIN=https://example.jp', 'DATABASE_URL=postgres://localhost/noren'].join('\n')
  for (const line of lines)
    expect(() => readSettings(parseEnv(`${requiredSettings}\n${line.slice(1)}`)), line).not.toThrow()
})
