import postcss from 'postcss'
import { inPalette, type Rule } from '../server/http/page-styles.ts'

/**
 * Splits a stylesheet into rules, each with the classes that it needs. Throws if a nested rule cannot be split by page.
 */
export function rulesOf(css: string): Rule[] {
  const stylesheet = postcss.parse(css)
  return stylesheet.nodes.flatMap((node) => {
    if (node.type === 'atrule' && node.name === 'page' && node.params) return namedPageOf(node, stylesheet)
    if (node.type !== 'atrule' || !['media', 'supports', 'container'].includes(node.name)) return ruleOf(node, '')
    return (node.nodes ?? []).flatMap((inner) => ruleOf(inner, `@${node.name} ${node.params}`))
  })
}

function ruleOf(node: postcss.ChildNode, within: string): Rule | Rule[] {
  if (node.type === 'comment') return []
  if (node.type === 'rule') return { within, css: `${node}`, needs: node.selectors.map(needsOf) }
  if (node.type === 'atrule' && ['keyframes', 'page', 'font-face'].includes(node.name))
    return { within, css: `${node}`, needs: [[]] }
  throw new Error(`Unsupported CSS: got ${node}, expected a rule that one page can have`)
}

// A page needs the named page if the page needs a rule that uses the name.
function namedPageOf(node: postcss.AtRule, stylesheet: postcss.Root): Rule {
  const needs: string[][] = []
  stylesheet.walkDecls('page', ({ value, parent }) => {
    if (value === node.params && parent?.type === 'rule') needs.push(...(parent as postcss.Rule).selectors.map(needsOf))
  })
  return { within: '', css: `${node}`, needs }
}

// Parts inside :not(…), :is(…) or :has(…) are ignored, because an element may match without them.
function needsOf(selector: string) {
  const [, palette] = /\[data-palette="?(\w+)"?\]/.exec(selector) ?? []
  let topLevelSelector = selector.replaceAll(/"[^"]*"/g, '')
  while (topLevelSelector.includes('(')) topLevelSelector = topLevelSelector.replaceAll(/\([^()]*\)/g, '')
  const classes = [...topLevelSelector.matchAll(/\.(-?[_a-z][\w-]*)/gi)].map(([, name = '']) => name)
  return palette ? [...classes, inPalette(palette)] : classes
}
