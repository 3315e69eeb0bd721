export type MailLink = { label: string; url: string }

type MailContent = {
  /** The salutation with the name, for example 桜井 花 様. */
  salutation: string
  paragraphs: readonly (string | MailLink)[]
  link?: MailLink | undefined
  signature: string
  /** The page on which the recipient switches off this kind of e-mail. */
  unsubscribeUrl?: string
}

export function mailBody({ salutation, paragraphs, link, signature, unsubscribeUrl }: MailContent) {
  const blocks = [salutation, ...paragraphs, ...(link ? [link] : [])]
  const footer = unsubscribeUrl ? [{ label: 'この種類のメールの配信を停止する', url: unsubscribeUrl }] : []
  const text = [...blocks, `-- \n${signature}`, ...footer].map(toText)
  const html = [...blocks.map(toHtml), '<hr>', ...[signature, ...footer].map(toHtml)]
  return {
    text: `${text.join('\n\n')}\n`,
    html: `<!doctype html><html lang="ja"><meta charset="utf-8"><body>${html.join('')}</body></html>`,
  }
}

function toText(block: string | MailLink) {
  return typeof block === 'string' ? block : `${block.label}\n${block.url}`
}

function toHtml(block: string | MailLink) {
  const content =
    typeof block === 'string'
      ? escapeHtml(block).replaceAll('\n', '<br>')
      : `<a href="${escapeHtml(block.url)}">${escapeHtml(block.label)}</a>`
  return `<p>${content}</p>`
}

function escapeHtml(text: string) {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
