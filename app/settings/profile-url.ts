import { normalize } from '../ui/normalize.ts'

// Services by a word in the link's name, with the URL before the account's name.
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
 * Returns the URL of the profile `typed` (`@kumi_kyoto`, or the bare name) on the service in the link's name. Returns
 * null if the service is unknown or `typed` is no account name.
 */
export function profileUrl(linkName: string, typed: string) {
  const name = normalize(linkName, 'NFKC').toLowerCase()
  const [, account] = /^@?([a-z\d._-]{1,64})$/i.exec(normalize(typed, 'NFKC')) ?? []
  const profiles = services.find(([service]) => service.test(name))?.[1]
  // The service's own host is not an account name.
  if (!profiles || !account || /^(?:www\.)?[a-z]+\.(?:com|me)$/i.test(account)) return null
  return profiles + account
}
