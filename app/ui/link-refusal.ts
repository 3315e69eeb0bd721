import { withHttps } from './safe-link.ts'

export function linkRefusal(url: string) {
  const meant = withHttps(url)
  return meant
    ? `アドレスは https:// から入力してください。「${meant}」ではありませんか。`
    : 'リンクは https:// などで始まるアドレスか、このサイトのページを入力してください'
}
