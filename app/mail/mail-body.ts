type Letter = {
  /** For example 桜井 花 様. */
  salutation: string
  paragraphs: readonly string[]
  link?: { label: string; url: string } | undefined
  signature: string
}

/** Formats an e-mail as plain text and as simple HTML. */
export function mailBody({ salutation, paragraphs, link, signature }: Letter) {
  const words = [salutation, ...paragraphs]
  const text = [...words, ...(link ? [`${link.label}\n${link.url}`] : []), `-- \n${signature}`]
  const html = [
    ...words.map((paragraph) => `<p>${inHtml(paragraph)}</p>`),
    ...(link ? [`<p><a href="${escaped(link.url)}">${escaped(link.label)}</a></p>`] : []),
    `<hr><p>${inHtml(signature)}</p>`,
  ]
  return {
    text: `${text.join('\n\n')}\n`,
    html: `<!doctype html><html lang="ja"><meta charset="utf-8"><body>${html.join('')}</body></html>`,
  }
}

function inHtml(text: string) {
  return escaped(text).replaceAll('\n', '<br>')
}

function escaped(text: string) {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
