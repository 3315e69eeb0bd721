const safeProtocols = ['http:', 'https:', 'mailto:', 'tel:']

/** The address that may stand in a link: the web's, a mail's, a telephone's or a path of this site; else null. */
export function safeLink(url: string): { href: string; elsewhere: boolean } | null {
  // Browsers drop these inside an address, so that "java\nscript:" would become a script.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (url === '' || /[\u0000-\u0020\u007f\\]/.test(url)) return null
  const here = 'https://here.invalid'
  const parsed = URL.parse(url, here)
  if (!parsed || !safeProtocols.includes(parsed.protocol)) return null
  if (parsed.origin !== here) return /^[a-z]+:/i.test(url) ? { href: parsed.href, elsewhere: true } : null
  return url.startsWith('/') || url.startsWith('#') ? { href: url, elsewhere: false } : null
}
