import { readdirSync, readFileSync } from 'node:fs'
import { parseSync } from 'vite'
import { expect, test } from 'vitest'

// Their wording is the specification's.
const given = new Set([
  'ログインしてください',
  'すべての項目を入力してください',
  '有効なメールアドレスではありません',
  'そのアカウント名は既に存在します。変更してください',
  'アカウント名は5文字以内で入力してください（登録できるのは10文字までです）',
  '5文字以上は入力できません',
  'ログインしてから入力してください',
  '最初の登録者のため、管理者権限を付与しました',
  '先にメンバー情報を登録してください',
  '管理者の承認後に、参加申込とメンバー一覧をご覧いただけます',
  '承認すると、お料理とカレンダーの編集もできるようになります（設定で管理者だけにできます）',
  'イベントを削除しました',
  'イベントの削除に失敗しました',
  'データの保存に失敗しました。もう一度お試しください',
  'データの登録中にエラーが発生しました。詳細: 保存できませんでした',
  '送信しました',
  '送信に失敗しました',
  '通信エラーが発生しました',
])

// No running text.
const phrases = new Set([
  // Parts of one sentence.
  '1か月より古くなりました',
  'まだありません',
  // In the subject of a mail.
  '「…」の予定が変わりました',
  '「…」は中止になりました',
  '「…」の出欠をお知らせください',
  // On a tick box.
  'アレルギー物質を確認しました',
  // Beside a field.
  '曜日を選んでください',
  '写真を選び直してください',
  '同時に送信したほかの欄も、まだ保存されていません',
  'どのサービスのものか分かるように、リンクの名前を「Instagram」などにしてください',
  'リンクは https:// で始まるアドレスを入力してください',
  'このメールアドレスはすでに登録されています',
  'リンクは https:// などで始まるアドレスか、このサイトのページを入力してください',
  '…文字超えています',
  '…は…文字までです',
  '宛先を選んでください',
  '順番は0から…までです',
  '定員は1から999までの数字で入力してください',
  '…を入力してください',
  'アドレスは、半角の英数字とハイフンで40文字までです',
  'このアドレスのページは、すでにあるか、ごみ箱に入っています',
  'ページの id は、p- に続く半角の英数字とハイフンです',
  'この id のページは、すでにあるか、ごみ箱に入っています',
  '写真の説明は…文字までです',
  '文章は…文字までです',
  '文章は、段落と箇条書きの行を合わせて…までです',
  '未入力です',
  'この項目の形が正しくありません',
  // On a button.
  '迷惑メールではありません',
  // How the shop is today.
  'まもなく閉店します（…まで）',
  'ただいま営業しております',
  '本日は営業日です',
  '本日…より営業いたします',
  '本日の営業は終了しました',
  '次の営業は……です',
  '営業時間は店頭でご確認ください',
  '営業時間はまだ登録されていません',
  '本日は休業いたします（…）',
  // Under a dish.
  '…は使っていません',
  'アレルギーはスタッフにお尋ねください',
  // In a list, or after what it is about.
  '追加しました',
  '変更しました',
  '元に戻しました',
  '削除しました',
  'まだどなたもいません',
  '表示していません',
  '返信先は書かれていません',
  '宛先のメールアドレスが設定されていません',
  '… から送ります',
  '送る設定（SMTP_URL）がないため、受信箱と … に残します',
  '書き出しています',
  '確認しています',
  '戻しています',
  // Before an example of a setting.
  '余分な文字が付いています',
  'アドレスとして読めません',
  // Within a sentence of an import's report.
  '。リンクは、直すまで使えません',
  '。大文字と小文字は区別しません',
  'IDが長すぎて取り込めません',
  '文書として読めません',
])

type Node = { type: string; [part: string]: unknown }

const nameOf = (node: unknown) => {
  const { name, value } = (node ?? {}) as { name?: string; value?: string }
  return name ?? value ?? ''
}

/** A string, or the text of a page, as it is read; … stands for what is put in. */
function textOf({ type, value, quasis }: Node) {
  if (type === 'TemplateLiteral')
    return (quasis as { value: { cooked: string } }[]).map((q) => q.value.cooked).join('…')
  if (type !== 'Literal' && type !== 'JSXText') return ''
  return typeof value === 'string' ? value.trim().replace(/\s*\n\s*/g, '') : ''
}

// What stands beside a field, in a label, a control or a heading.
function isPhrase(above: Node[], hasSchema: boolean) {
  if (above.some(({ type, key }) => type === 'Property' && ['trouble', 'done'].includes(nameOf(key)))) return false
  return above.some((node) => {
    if (node.type === 'CallExpression') return hasSchema
    if (node.type === 'Property') return ['errors', 'subject', 'title'].includes(nameOf(node.key))
    if (node.type === 'JSXAttribute') return ['label', 'what', 'aria-label'].includes(nameOf(node.name))
    if (node.type !== 'JSXElement') return false
    return ['label', 'button', 'Button', 'LinkButton', 'small', 'option', 'legend'].includes(
      nameOf((node.openingElement as Node).name),
    )
  })
}

// What comes after it on the page belongs to it.
function goesOn(node: Node, above: Node[]) {
  const siblings = (above.at(-1)?.children ?? []) as Node[]
  return node.type === 'JSXText' && siblings.indexOf(node) < siblings.length - 1
}

const texts = ['app', 'server', 'db', 'scripts'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    // The doctor ends its sentences where it prints them.
    .filter(
      (name) => /\.tsx?$/.test(name) && !/\.test\.|testing|hostile|sample-shop|bench|trial|demo|doctor/.test(name),
    )
    .flatMap((name) => {
      const source = readFileSync(`${folder}/${name}`, 'utf8')
      const hasSchema = source.includes("from 'zod'")
      const found: { text: string; phrase: boolean; file: string }[] = []
      const visit = (node: Node, above: Node[]) => {
        const text = textOf(node)
        if (/[ぁ-ん]/.test(text) && !goesOn(node, above))
          found.push({ text, phrase: isPhrase(above, hasSchema), file: `${folder}/${name}` })
        for (const part of Object.values(node).flat() as Node[]) if (part?.type) visit(part, [...above, node])
      }
      visit(parseSync(name, source).program as unknown as Node, [])
      return found
    }),
)

const isSentence = (text: string) => /(?:です|ます|ません|ました|でした|ください|でしょう)(?:（[^（）]*）)?$/.test(text)
const isOne = (text: string) => !/。(?!」|）)./.test(text)

test('a sentence ends with its full stop, each of several too', () => {
  const unended = texts.filter(({ text, phrase }) => isSentence(text) && !(phrase && isOne(text)))
  expect(unended.filter(({ text }) => !given.has(text) && !phrases.has(text))).toEqual([])
  const known = new Set(unended.map(({ text }) => text))
  expect([...given, ...phrases].filter((text) => !known.has(text))).toEqual([])
})

test('what stands beside a field or in a label has none', () => {
  const said = texts.filter(({ text, phrase }) => phrase && isOne(text) && isSentence(text.replace(/。$/, '')))
  expect(said.length).toBeGreaterThan(100)
  expect(said.filter(({ text }) => text.endsWith('。'))).toEqual([])
})
