import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import packageJson from '../package.json' with { type: 'json' }

const dockerfile = readFileSync('Dockerfile', 'utf8')
const dockerignore = readFileSync('.dockerignore', 'utf8')
const includedPaths = [...dockerignore.matchAll(/^!(.+)$/gm)].map(([, path = '']) => path)

const commands = ['appoint', 'backup', 'doctor', 'export', 'import', 'restore'].map((name) => `scripts/${name}.ts`)
const childScripts = globSync('{app,server,db}/**/*{-process.ts,-worker.mjs}', { exclude: ['**/testing*'] })
const { files, packages } = [...commands, ...childScripts].reduce(collectImports, {
  files: new Set<string>(),
  packages: new Set<string>(),
})

type Imports = { files: Set<string>; packages: Set<string> }

function collectImports(found: Imports, file: string): Imports {
  if (found.files.has(file)) return found
  found.files.add(file)
  const imports =
    /^(?:import|export) (?!type )(?:[^'"`;]* from )?'([^']+)'|\b(?:import|resolveModule|loadFont)\('([^']+)'\)/gm
  for (const [, importedFrom, loaded] of readFileSync(file, 'utf8').matchAll(imports)) {
    const name = importedFrom ?? loaded ?? ''
    if (name.startsWith('.')) collectImports(found, join(dirname(file), name))
    else if (!name.startsWith('node:')) found.packages.add(/^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? '')
  }
  return found
}

test('the image contains each file that its commands and child processes import', () => {
  expect(files.size).toBeGreaterThan(100)
  const isIncluded = (file: string) =>
    includedPaths.some((path) => file === path || file.startsWith(`${path}/`)) && !/\.test\.|\/testing/.test(file)
  expect([...files].filter((file) => !isIncluded(file))).toEqual([])
})

test('the commands and child processes import only production packages', () => {
  expect(packages).toContain('harfbuzzjs')
  expect([...packages].filter((name) => !(name in packageJson.dependencies))).toEqual([])
})

test('each path of the Dockerfile and of .dockerignore exists, or the build creates it', () => {
  const copiedPaths = [...dockerfile.matchAll(/^COPY (?:--from=build )?(.+) \S+$/gm)]
    .filter(([line]) => !line.includes('production'))
    .flatMap(([, paths = '']) => paths.replaceAll('/srv/noren/', '').split(' '))
  expect(copiedPaths).toContain('package.json')
  expect([...includedPaths, ...copiedPaths].filter((path) => path !== 'build' && !existsSync(path))).toEqual([])
})

test('the image contains each font that the server loads', () => {
  const keptFonts = [...dockerfile.matchAll(/! -name '\*(_\w+\.ttf)'/g)].map(([, name = '']) => name)
  const sources = globSync('server/http/*.{ts,mjs}').map((file) => readFileSync(file, 'utf8'))
  const loadedFonts = new Set(sources.join().match(/_\w+\.ttf/g))
  expect([...loadedFonts].sort()).toEqual(keptFonts.sort())
})

test('the image starts the site as `npm start` does', () => {
  const [, words = ''] = /^CMD (\[.+\])$/m.exec(dockerfile) ?? []
  expect(JSON.parse(words).join(' ')).toBe(packageJson.scripts.start)
})
