const safeProtocols = ['http:', 'https:', 'mailto:', 'tel:']

/** The address that may stand in a link: the web's, a mail's, a telephone's or a path of this site; else null. */
export function safeLink(url: string): { href: string; elsewhere: boolean } | null {
  // Browsers drop these inside an address, so that "java\nscript:" would become a script.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (url === '' || /[\u0000-\u0020\u007f\\]/.test(url)) return null
  const here = 'https://here.invalid'
  const parsed = parseUrl(url, here)
  if (!parsed || !safeProtocols.includes(parsed.protocol)) return null
  if (parsed.origin !== here) return /^[a-z]+:/i.test(url) ? { href: parsed.href, elsewhere: true } : null
  return url.startsWith('/') || url.startsWith('#') ? { href: url, elsewhere: false } : null
}

/** Parses a URL as `URL.parse` does, which Safari has from 18 on. */
export function parseUrl(url: string, base?: string) {
  try {
    return new URL(url, base)
  } catch {
    return null
  }
}

// A colon before the path would be a scheme's, an @ a mail's.
const HOST_FIRST = /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+\p{L}[\p{L}\p{N}-]*[\p{L}\p{N}](?=[/?#]|$)/u

/** The web address that was typed without its `https://`, with it; null for any other text. */
export function withHttps(typed: string) {
  const address = typed.trim()
  return HOST_FIRST.test(address) && safeLink(`https://${address}`) ? `https://${address}` : null
}

/** Said where a form goes on with `withHttps`. */
export const httpsAdded = 'https:// を付けました。よろしければ、もう一度保存してください。'
