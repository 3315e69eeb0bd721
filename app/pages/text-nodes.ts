import { type Block, blockTags, type Run, type Text } from './text.ts'

/** Converts a text to DOM nodes for the editor. Adds empty paragraphs around images, so that users can type there. */
export function textToNodes(text: Text) {
  const fragment = document.createDocumentFragment()
  for (const [index, block] of text.entries()) {
    if (block.kind === 'picture' && text[index - 1]?.kind !== 'paragraph') fragment.append(createElement('p'))
    fragment.append(blockElement(block))
    if (block.kind === 'picture' && index === text.length - 1) fragment.append(createElement('p'))
  }
  return fragment
}

export function createFigure(url: string, alt: string) {
  const image = createElement('img')
  image.src = url
  image.alt = alt
  const figure = createElement('figure', image)
  figure.contentEditable = 'false'
  figure.tabIndex = 0
  figure.setAttribute('role', 'button')
  figure.setAttribute('aria-label', alt ? `写真「${alt}」を変える` : '説明のない写真を変える')
  return figure
}

function blockElement(block: Block) {
  if (block.kind === 'picture') return createFigure(block.url, block.alt)
  const children =
    'runs' in block ? inlineNodes(block.runs) : block.items.map((item) => createElement('li', ...inlineNodes(item)))
  return createElement(blockTags[block.kind], ...children)
}

function inlineNodes(runs: Run[]) {
  return runs.map(({ text, bold, href }) => {
    const content = document.createDocumentFragment()
    for (const [index, line] of text.split('\n').entries())
      content.append(...(index > 0 ? [createElement('br')] : []), line)
    const formatted = bold ? createElement('b', content) : content
    if (href === undefined) return formatted
    const link = createElement('a', formatted)
    link.href = href
    return link
  })
}

function createElement<Tag extends keyof HTMLElementTagNameMap>(tag: Tag, ...children: Node[]) {
  const created = document.createElement(tag)
  created.append(...children)
  return created
}
