import { safeLink } from './safe-link.ts'

// A colon before the path would end a scheme, and an @ would belong to an e-mail address.
const HOST_FIRST = /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+\p{L}[\p{L}\p{N}-]*[\p{L}\p{N}](?=[/?#]|$)/u

export function withHttps(typed: string) {
  const url = typed.trim()
  return HOST_FIRST.test(url) && safeLink(`https://${url}`) ? `https://${url}` : null
}

export function linkRefusal(url: string) {
  const suggestion = withHttps(url)
  return suggestion
    ? `アドレスは https:// から入力してください。「${suggestion}」ではありませんか。`
    : 'リンクは https:// などで始まるアドレスか、このサイトのページを入力してください'
}
