import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import packageJson from '../package.json' with { type: 'json' }

const version = process.argv[2] ?? ''
const heading = '## [Unreleased]\n'
const changelog = readFileSync('CHANGELOG.md', 'utf8')
const [changes = ''] = (changelog.split(heading)[1] ?? '').split(/^## /m)

if (!/^\d+\.\d+\.\d+$/.test(version)) fail('Usage: npm run release -- 1.2.3')
if (version.localeCompare(packageJson.version, 'en', { numeric: true }) <= 0)
  fail(`The version ${version} is not newer than ${packageJson.version}.`)
if (read('git', 'branch', '--show-current') !== 'main') fail('The current branch is not main.')
if (read('git', 'status', '--porcelain')) fail('The working tree has changes.')
if (!changes.trim()) fail('The section Unreleased of CHANGELOG.md is empty.')
if (spawnSync('npm', ['test'], { stdio: 'inherit' }).status !== 0) fail('The checks have failed.')
audit()
release()

// A registry without advisories returns an error instead of a report.
function audit() {
  const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], { encoding: 'utf8' })
  const { message, metadata } = JSON.parse(stdout)
  if (!metadata) console.warn(`The packages have not been audited: ${message}`)
  else if (metadata.vulnerabilities.total > 0) fail('Packages have known vulnerabilities: run npm audit --omit=dev')
}

function release() {
  const files = ['CHANGELOG.md', 'package.json', 'package-lock.json']
  try {
    const day = new Date().toISOString().slice(0, 10)
    writeFileSync('CHANGELOG.md', changelog.replace(heading, `${heading}\n## [${version}] - ${day}\n`))
    read('npm', 'version', version, '--no-git-tag-version')
    mkdirSync('release', { recursive: true })
    const sbom = read('npm', 'sbom', '--omit=dev', '--package-lock-only', '--sbom-format=cyclonedx')
    writeFileSync(`release/noren-${version}.cdx.json`, `${sbom}\n`)
    read('git', 'commit', '--quiet', '--message', `Update version to ${version}`, ...files)
    read('git', 'tag', '--annotate', `v${version}`, '--message', `Noren ${version}`)
  } catch (error) {
    read('git', 'checkout', '--quiet', 'HEAD', ...files)
    throw error
  }
  console.log(`Tagged v${version}. Publish it with: git push --follow-tags`)
}

function read(command: string, ...arguments_: string[]) {
  return execFileSync(command, arguments_, { encoding: 'utf8' }).trim()
}

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}
