import { expect, test } from 'vitest'
import { finishDocument } from './document.ts'

const head = '<html><head><title>x</title><link rel="modulepreload" href="/assets/a.js"/></head>'
const scripts = '<script src="/b.js"></script><script>1</script><script type="module" async="">import "/c.js"</script>'

test('inserts the styles and defers the module script without other changes', () => {
  const { document, policy } = finishDocument(`${head}<body><h1 class="a">題</h1>${scripts}</body></html>`, {
    href: '/assets/x.css',
    rules: [{ within: '', css: '.a{}', needs: [['a']] }],
  })
  const [before, styles = '', after] = document.split(/<style>|<\/style>/)
  expect(before).toBe('<html><head><title>x</title>')
  expect(styles.endsWith('.a{}')).toBe(true)
  const [kept, later = ''] = after?.split('<script type="text/plain"') ?? []
  expect(kept).toBe('</head><body><h1 class="a">題</h1><script src="/b.js"></script><script>1</script>')
  expect(later).toContain('data-stylesheet="/assets/x.css" data-modules="/assets/a.js">import "/c.js"</script>')
  expect(later.endsWith('</script></body></html>')).toBe(true)
  expect(policy.match(/'sha256-/g)).toHaveLength(4)
})

test('adds only styles to a document without scripts', () => {
  const { document, policy } = finishDocument('<html><head></head><body></body></html>', { href: '', rules: [] })
  expect(document.replace(/<style>.*<\/style>/, '')).toBe('<html><head></head><body></body></html>')
  expect(policy.match(/'sha256-/g)).toHaveLength(1)
})
