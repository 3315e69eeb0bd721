/** `needs` lists, per selector, the classes or palette without which the rule styles nothing. */
export type Rule = { within: string; css: string; needs: string[][] }

/** A name in `needs` for a palette, which no class can have. */
export function inPalette(name: string) {
  return `data-palette=${name}`
}

export function stylesFor(document: string, rules: Rule[]) {
  const lists = document.split(' class="').map((part, index) => (index === 0 ? '' : part.slice(0, part.indexOf('"'))))
  const classes = new Set([...new Set(lists)].flatMap((list) => list.split(' ')))
  for (const [, palette = ''] of document.matchAll(/ data-palette="(\w+)"/g)) classes.add(inPalette(palette))
  let css = ''
  let within = ''
  for (const rule of rules) {
    if (!rule.needs.some((needed) => needed.every((name) => classes.has(name)))) continue
    if (rule.within !== within) css += `${within && '}'}${rule.within && `${rule.within}{`}`
    within = rule.within
    css += rule.css
  }
  return within ? `${css}}` : css
}
