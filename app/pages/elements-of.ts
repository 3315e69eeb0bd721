import { type Block, type Run, type Text, tags } from './text.ts'

/** Converts a text to DOM nodes for the editor. Adds empty paragraphs around images, so that users can type there. */
export function elementsOf(text: Text) {
  const fragment = document.createDocumentFragment()
  for (const [index, block] of text.entries()) {
    if (block.kind === 'picture' && text[index - 1]?.kind !== 'paragraph') fragment.append(element('p'))
    fragment.append(elementOf(block))
    if (block.kind === 'picture' && index === text.length - 1) fragment.append(element('p'))
  }
  return fragment
}

export function pictureElement(url: string, alt: string) {
  const image = element('img')
  image.src = url
  image.alt = alt
  const figure = element('figure', image)
  figure.contentEditable = 'false'
  figure.tabIndex = 0
  figure.setAttribute('role', 'button')
  figure.setAttribute('aria-label', `写真「${alt}」を変える`)
  return figure
}

function elementOf(block: Block) {
  if (block.kind === 'picture') return pictureElement(block.url, block.alt)
  const children = 'runs' in block ? inlines(block.runs) : block.items.map((item) => element('li', ...inlines(item)))
  return element(tags[block.kind], ...children)
}

function inlines(runs: Run[]) {
  return runs.map(({ text, bold, href }) => {
    const words = document.createDocumentFragment()
    for (const [index, line] of text.split('\n').entries()) words.append(...(index > 0 ? [element('br')] : []), line)
    const shown = bold ? element('b', words) : words
    if (href === undefined) return shown
    const link = element('a', shown)
    link.href = href
    return link
  })
}

function element<Tag extends keyof HTMLElementTagNameMap>(tag: Tag, ...children: Node[]) {
  const made = document.createElement(tag)
  made.append(...children)
  return made
}
