import { normalize } from '../ui/normalize.ts'

// A pattern that finds the service in a link name, and the beginning of a profile URL without the account name.
const services: [RegExp, string][] = [
  [/instagram|インスタ/, 'https://www.instagram.com/'],
  [/facebook|フェイスブック/, 'https://www.facebook.com/'],
  [/threads|スレッズ/, 'https://www.threads.com/@'],
  [/tiktok|ティックトック/, 'https://www.tiktok.com/@'],
  [/youtube|ユーチューブ/, 'https://www.youtube.com/@'],
  [/(?<![a-z])line(?![a-z])/, 'https://line.me/R/ti/p/%40'],
  [/twitter|ツイッター|(?<![a-z])x(?![a-z])/, 'https://x.com/'],
  [/(?<![a-z])note(?![a-z])/, 'https://note.com/'],
]

/**
 * Returns the profile URL of the account `typed` (for example `@kumi_kyoto`) on the service in the link name. Returns
 * null if the service is unknown or the account name is invalid.
 */
export function profileUrl(linkName: string, typed: string) {
  const name = normalize(linkName, 'NFKC').toLowerCase()
  const [, account] = /^@?([a-z\d._-]{1,64})$/i.exec(normalize(typed, 'NFKC')) ?? []
  const urlPrefix = services.find(([service]) => service.test(name))?.[1]
  // A host such as instagram.com is not an account name.
  if (!urlPrefix || !account || /^(?:www\.)?[a-z]+\.(?:com|me)$/i.test(account)) return null
  return urlPrefix + account
}
