import { withHttps } from './safe-link.ts'

/** What is said of an address that may not stand in a link (`safeLink`). */
export function linkRefusal(url: string) {
  const meant = withHttps(url)
  return meant
    ? `アドレスは https:// から入力してください。「${meant}」ではありませんか。`
    : 'リンクは https:// などで始まるアドレスか、このサイトのページを入力してください'
}
