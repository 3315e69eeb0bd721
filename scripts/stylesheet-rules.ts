import postcss from 'postcss'
import { inPalette, type Rule } from '../server/http/page-styles.ts'

/** The rules of a stylesheet, in its order, each with the classes, or the palette, that it needs. Throws at a nesting that pages cannot take apart. */
export function rulesOf(css: string): Rule[] {
  return postcss.parse(css).nodes.flatMap((node) => {
    if (node.type !== 'atrule' || !['media', 'supports', 'container'].includes(node.name)) return ruleOf(node, '')
    return (node.nodes ?? []).flatMap((inner) => ruleOf(inner, `@${node.name} ${node.params}`))
  })
}

function ruleOf(node: postcss.ChildNode, within: string): Rule | Rule[] {
  if (node.type === 'comment') return []
  if (node.type === 'rule') return { within, css: `${node}`, needs: node.selectors.map(needsOf) }
  if (node.type === 'atrule' && ['keyframes', 'page', 'font-face'].includes(node.name))
    return { within, css: `${node}`, needs: [[]] }
  throw new Error(`The stylesheet has what no page could be given by itself: ${node}`)
}

// What stands within :not(…), :is(…) or :has(…) may or may not be there.
function needsOf(selector: string) {
  const [, palette] = /\[data-palette="?(\w+)"?\]/.exec(selector) ?? []
  let outside = selector.replaceAll(/"[^"]*"/g, '')
  while (outside.includes('(')) outside = outside.replaceAll(/\([^()]*\)/g, '')
  const classes = [...outside.matchAll(/\.(-?[_a-z][\w-]*)/gi)].map(([, name = '']) => name)
  return palette ? [...classes, inPalette(palette)] : classes
}
