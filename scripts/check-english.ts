import { globSync, readFileSync } from 'node:fs'

const SOURCES = ['{app,server,db,scripts,tests,art}/**/*.{ts,tsx,mjs,css}', '*.{ts,mjs,md}', 'docs/**/*.md']
// These files list the phrases.
const EXCEPTIONS = ['CONTRIBUTING.md', 'scripts/check-english.ts', 'scripts/check-english.test.ts']

const phrases = [
  /\b(whoever|whom|of which|anew|by then)\b/i,
  / where (it|there|nobody|one|that) /,
  /(\/\/|^\s*(\/\*)?\*) (What|Who|Where|Of|By(?! default)) /,
  /\bMOST_/,
  /\b(test|describe)(\.\w+)*\(\s*['"`](who|what|where|of) /,
]

export function findPhrases(text: string) {
  return text
    .split('\n')
    .flatMap((line, index) =>
      phrases.some((phrase) => phrase.test(line)) ? [{ number: index + 1, line: line.trim() }] : [],
    )
}

if (import.meta.main) {
  const files = globSync(SOURCES).filter((file) => !EXCEPTIONS.includes(file.replaceAll('\\', '/')))
  const found = files.flatMap((file) =>
    findPhrases(readFileSync(file, 'utf8')).map(({ line, number }) => `${file}:${number}: ${line}`),
  )
  if (found.length > 0)
    console.error(`${found.join('\n')}\n\nRewrite these lines as "Write English" in CONTRIBUTING.md describes.`)
  process.exit(found.length > 0 ? 1 : 0)
}
