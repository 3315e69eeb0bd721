import { expect, test } from 'vitest'
import { rulesOf } from '../../scripts/stylesheet-rules.ts'
import { readDocument } from './document.ts'
import { type Rule, stylesFor } from './page-styles.ts'

const rules = rulesOf(`
  /* a note */
  :root { --ink: black }
  .card { color: red }
  .card .title, .menu .title { color: blue }
  .gone:not(.card) { color: green }
  .card:not(.gone:has(.absent)) { color: plum }
  .card:has(.absent):hover::before { content: ".absent (" }
  [data-x="(.absent"] { color: pink }
  @media print { .card { display: none } .gone { display: none } body { color: black } }
  @media print { .title { display: none } }
  @media (width < 600px) { .gone { display: none } }
  @keyframes turn { to { rotate: 1turn } }
  .gone { animation: turn 1s }
`)
const stylesOf = (html: string, rules: Rule[]) => stylesFor(readDocument(html).names, rules)
const withoutSpaces = (css: string) => css.replaceAll(/\s+/g, '')

test('selects the rules that a page may need, and preserves their order and media queries', () => {
  const document = '<main class="page card"><p class="title">.gone class="gone&quot;</p></main>'
  expect(withoutSpaces(stylesOf(document, rules))).toBe(
    withoutSpaces(`
      :root { --ink: black }
      .card { color: red }
      .card .title, .menu .title { color: blue }
      .card:not(.gone:has(.absent)) { color: plum }
      .card:has(.absent):hover::before { content: ".absent (" }
      [data-x="(.absent"] { color: pink }
      @media print { .card { display: none } body { color: black } .title { display: none } }
      @keyframes turn { to { rotate: 1turn } }
    `),
  )
})

test('selects the palettes that a page uses', () => {
  const palettes = rulesOf(`
    :root, [data-palette="shu"] { --iro: red }
    [data-palette=ai] { --iro: blue }
    [data-palette="sumi"] .card { --iro: black }
  `)
  const select = (document: string) => withoutSpaces(stylesOf(document, palettes))
  const first = withoutSpaces(':root, [data-palette="shu"] { --iro: red }')
  expect(select('<html><p>data-palette="ai" data-palette=&quot;ai&quot;')).toBe(first)
  expect(select('<html data-palette="ai">')).toBe(`${first}${withoutSpaces('[data-palette=ai] { --iro: blue }')}`)
  expect(select('<html data-palette="sumi">')).toBe(first)
  expect(select('<html data-palette="sumi"><p class="card">')).toBe(
    `${first}${withoutSpaces('[data-palette="sumi"] .card { --iro: black }')}`,
  )
})

test('selects a named page only with a rule that uses its name', () => {
  const named = rulesOf('@page { margin: 1cm } @page card { size: A5 } @media print { .card { page: card } }')
  const select = (document: string) => withoutSpaces(stylesOf(document, named))
  expect(select('<p class="other">')).toBe('@page{margin:1cm}')
  expect(select('<p class="card">')).toBe('@page{margin:1cm}@pagecard{size:A5}@mediaprint{.card{page:card}}')
})

test('closes the media query of the last rule', () => {
  expect(withoutSpaces(stylesOf('<p class="a">', rulesOf('@media print { .a { color: red } }')))).toBe(
    '@mediaprint{.a{color:red}}',
  )
})

test('throws when the stylesheet contains an unsupported rule', () => {
  expect(() => rulesOf('@layer a { .b { color: red } }')).toThrow('@layer a')
  expect(() => rulesOf('@media print { @media (width < 1px) { .b { color: red } } }')).toThrow('@media (width')
})
