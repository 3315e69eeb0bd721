import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

type Override = { includes: string[]; linter: { rules: { style?: { noRestrictedImports?: Restriction } } } }
type Restriction = { options: { patterns: { group: string[] }[] } }

const documentation = readFileSync('docs/architecture.md', 'utf8')
const table = documentation.slice(documentation.indexOf('## Rooms'), documentation.indexOf('## A page request'))
const rooms = [...table.matchAll(/^\| `([a-z]+)` \|/gm)].map(([, room = '']) => room)
const { overrides }: { overrides: Override[] } = JSON.parse(readFileSync('biome.json', 'utf8'))

test('biome.json forbids each room to import the rooms listed below it in docs/architecture.md', () => {
  expect(rooms.length).toBeGreaterThan(20)
  for (const [index, room] of rooms.slice(0, -1).entries()) {
    const rule = overrides.find(({ includes: [first] }) => first === `app/${room}/**`)
    const forbidden = rule?.linter.rules.style?.noRestrictedImports?.options.patterns[0]?.group
    expect(forbidden, room).toEqual(rooms.slice(index + 1).map((lowerRoom) => `../${lowerRoom}/**`))
  }
})

test.for(['app/permissions.ts', 'app/request.ts'])('%s imports only types from rooms', (file) => {
  const imports = readFileSync(file, 'utf8').match(/^import .* from '\.\/[a-z]+\/.*'$/gm) ?? []
  expect(imports.length).toBeGreaterThan(0)
  for (const statement of imports) expect(statement).toMatch(/^import type /)
})
