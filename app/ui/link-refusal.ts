import { withHttps } from './safe-link.ts'

export function linkRefusal(url: string) {
  const suggestion = withHttps(url)
  return suggestion
    ? `アドレスは https:// から入力してください。「${suggestion}」ではありませんか。`
    : 'リンクは https:// などで始まるアドレスか、このサイトのページを入力してください'
}
