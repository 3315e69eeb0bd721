type Link = { label: string; url: string }

type MailContent = {
  /** The salutation with the name, for example 桜井 花 様. */
  salutation: string
  paragraphs: readonly string[]
  link?: Link | undefined
  signature: string
  /** The page on which the recipient switches off this kind of e-mail. */
  unsubscribeUrl?: string
  /** BCP 47 tag. Japanese by default. */
  language?: string
}

export function mailBody({ salutation, paragraphs, link, signature, unsubscribeUrl, language = 'ja' }: MailContent) {
  const blocks = [salutation, ...paragraphs]
  const stop = unsubscribeUrl && { label: 'この種類のメールを停止する', url: unsubscribeUrl }
  const text = [...blocks, ...textLink(link), `-- \n${signature}`, ...textLink(stop)]
  const html = [
    ...blocks.map((paragraph) => `<p>${toHtml(paragraph)}</p>`),
    ...htmlLink(link),
    `<hr><p>${toHtml(signature)}</p>`,
    ...htmlLink(stop),
  ]
  return {
    text: `${text.join('\n\n')}\n`,
    html: `<!doctype html><html lang="${language}"><meta charset="utf-8"><body>${html.join('')}</body></html>`,
  }
}

/** Returns an e-mail of the shop, whose name begins the subject and is the signature. */
export function shopMail(shop: string, { subject, ...content }: Omit<MailContent, 'signature'> & { subject: string }) {
  return { subject: `【${shop}】${subject}`, ...mailBody({ ...content, signature: shop }) }
}

function textLink(link: Link | undefined | '') {
  return link ? [`${link.label}\n${link.url}`] : []
}

function htmlLink(link: Link | undefined | '') {
  return link ? [`<p><a href="${escapeHtml(link.url)}">${escapeHtml(link.label)}</a></p>`] : []
}

function toHtml(text: string) {
  return escapeHtml(text).replaceAll('\n', '<br>')
}

function escapeHtml(text: string) {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
