const safeProtocols = ['http:', 'https:', 'mailto:', 'tel:']

/** Returns the target of a safe link (a web, mailto or tel URL, or a path of this site), or null for any other link. */
export function safeLink(url: string): { href: string; elsewhere: boolean } | null {
  // Browsers drop control characters inside a URL, so "java\nscript:" would run as a script.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern searches for control characters
  if (url === '' || /[\u0000-\u0020\u007f\\]/.test(url)) return null
  const base = 'https://here.invalid'
  const parsed = parseUrl(url, base)
  if (!parsed || !safeProtocols.includes(parsed.protocol)) return null
  if (parsed.origin !== base) return /^[a-z]+:/i.test(url) ? { href: parsed.href, elsewhere: true } : null
  return url.startsWith('/') || url.startsWith('#') ? { href: url, elsewhere: false } : null
}

/** Parses a URL. Replaces `URL.parse`, which Safari lacks before version 18. */
export function parseUrl(url: string, base?: string) {
  try {
    return new URL(url, base)
  } catch {
    return null
  }
}
