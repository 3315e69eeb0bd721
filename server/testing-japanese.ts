const JAPANESE = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u
const READ_ATTRIBUTES = /\s(?:alt|aria-label|aria-description|title|placeholder|content)="([^"]*)"/g
const VOID = /^(?:area|br|hr|img|input|link|meta|source|track|wbr)$/

/** Returns the Japanese texts and attributes of a document that are outside elements with `lang="ja"`. */
export function findUnmarkedJapanese(html: string) {
  const document = html.replace(/<(script|style)[\s\S]*?<\/\1>/g, '')
  const found: string[] = []
  const languages: string[] = []
  let end = 0
  const isMarked = () => languages.findLast(Boolean) === 'ja'
  for (const { 0: tag, 1: closing, 2: name = '', 3: attributes = '', index } of document.matchAll(
    /<(\/?)([a-z][a-z0-9]*)((?:\s[^>]*?)?)\/?>/g,
  )) {
    const text = document.slice(end, index)
    if (JAPANESE.test(text) && !isMarked()) found.push(text)
    end = index + tag.length
    if (closing) languages.pop()
    else {
      languages.push(/\slang="([^"]*)"/.exec(attributes)?.[1] ?? '')
      for (const [attribute, value = ''] of attributes.matchAll(READ_ATTRIBUTES))
        if (JAPANESE.test(value) && !isMarked()) found.push(attribute.trim())
      if (VOID.test(name)) languages.pop()
    }
  }
  return found
}
