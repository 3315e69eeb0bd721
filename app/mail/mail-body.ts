type MailContent = {
  /** The salutation with the name, for example 桜井 花 様. */
  salutation: string
  paragraphs: readonly string[]
  link?: { label: string; url: string } | undefined
  signature: string
}

export function mailBody({ salutation, paragraphs, link, signature }: MailContent) {
  const blocks = [salutation, ...paragraphs]
  const text = [...blocks, ...(link ? [`${link.label}\n${link.url}`] : []), `-- \n${signature}`]
  const html = [
    ...blocks.map((paragraph) => `<p>${toHtml(paragraph)}</p>`),
    ...(link ? [`<p><a href="${escapeHtml(link.url)}">${escapeHtml(link.label)}</a></p>`] : []),
    `<hr><p>${toHtml(signature)}</p>`,
  ]
  return {
    text: `${text.join('\n\n')}\n`,
    html: `<!doctype html><html lang="ja"><meta charset="utf-8"><body>${html.join('')}</body></html>`,
  }
}

function toHtml(text: string) {
  return escapeHtml(text).replaceAll('\n', '<br>')
}

function escapeHtml(text: string) {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
