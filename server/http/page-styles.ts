/** `needs`: for each selector, the classes and the palette without which it cannot match. */
export type Rule = { within: string; css: string; needs: string[][] }

/** No class can have this name. */
export function inPalette(name: string) {
  return `data-palette=${name}`
}

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
