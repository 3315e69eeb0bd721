/** `needs` lists, per selector, the classes or palette without which the rule styles nothing. */
export type Rule = { within: string; css: string; needs: string[][] }

/** A name in `needs` for a palette, which no class can have. */
export function inPalette(name: string) {
  return `data-palette=${name}`
}

/** Returns the rules that a document with these classes and palettes needs. */
export function stylesFor(names: Set<string>, rules: Rule[]) {
  let css = ''
  let within = ''
  for (const rule of rules) {
    if (!rule.needs.some((needed) => needed.every((name) => names.has(name)))) continue
    if (rule.within !== within) css += `${within && '}'}${rule.within && `${rule.within}{`}`
    within = rule.within
    css += rule.css
  }
  return within ? `${css}}` : css
}
