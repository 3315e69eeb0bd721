import { readdirSync, readFileSync } from 'node:fs'
import { parseSync } from 'vite'
import { expect, test } from 'vitest'

// The specification prescribes these texts.
const specifiedTexts = new Set([
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

// Texts that need no 。 because they are not running text.
const shortTexts = new Set([
  // Fragments of a sentence.
  '1か月より古くなりました',
  'まだありません',
  // Subjects of mails.
  '「…」の予定が変わりました',
  '「…」は中止になりました',
  '「…」に空きが出て、参加になりました',
  '「…」はキャンセル待ちになりました',
  '「…」の参加の取り消しがありました',
  '「…」の出欠をお知らせください',
  // Titles of push notifications.
  '新しい予定のご案内です',
  '予定が変わりました',
  '予定が中止になりました',
  '出欠の回答をお願いいたします',
  '参加の取り消しがありました',
  // Label of a checkbox.
  'アレルギー物質を確認しました',
  // Field errors.
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
  '人数を選んでください',
  '順番は0から…までです',
  '…を入力してください',
  'アドレスは、半角の英数字とハイフンで40文字までです',
  'ページの id は、p- に続く半角の英数字とハイフンです',
  '写真の説明は…文字までです',
  '文章は…文字までです',
  '文章は、段落と箇条書きの行を合わせて…までです',
  '未入力です',
  'この項目の形が正しくありません',
  '価格の名前だけを入力してください。数字は日本語と同じものを表示します',
  '日本語と同じ数の名前（…つ）を「 / 」で区切って入力してください',
  // State of a translation.
  '日本語のあとに変わっていません',
  // Summary of an event.
  '出欠をとります',
  // Headings of the page of a request for a table.
  'お席のお時間を過ぎました',
  'お店からのお返事をお待ちください',
  'お店から、別のお時間のご案内です',
  'お席をご用意いたします',
  '申し訳ございません。お席をご用意できません',
  'このお申し込みは取り消されました',
  // Button.
  '迷惑メールではありません',
  // Opening status of the shop.
  'まもなく閉店します（{time}まで）',
  'ただいま営業しております',
  'ただいまご提供しています（{start}〜{end}）',
  '{start}〜{end}にご提供します',
  '本日は営業日です',
  '本日{time}より営業いたします',
  '本日の営業は終了しました',
  '次の営業は{day}です',
  '次の営業は{day} {time}からです',
  '営業時間は店頭でご確認ください',
  '営業時間はまだ登録されていません',
  '本日は休業いたします',
  '本日は…です',
  // Allergen notes of a dish.
  'アレルギーはスタッフにお尋ねください',
  '{absent}は使っていません',
  '{absent}は使っていません（{names}は使っています）',
  // In place of a price.
  'お問い合わせください',
  // Texts that need no full stop: entries of a list, and predicates that are rendered after their subject.
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
  '受け取っています',
  '戻しています',
  // Followed by an example value of a setting.
  '余分な文字が付いています',
  'アドレスとして読めません',
  // Fragments of an import report.
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

/** Returns the text of a string, template or JSX node; … replaces each inserted value. */
function textOf({ type, value, quasis }: Node) {
  if (type === 'TemplateLiteral')
    return (quasis as { value: { cooked: string } }[]).map((q) => q.value.cooked).join('…')
  if (type !== 'Literal' && type !== 'JSXText') return ''
  return typeof value === 'string' ? value.trim().replace(/\s*\n\s*/g, '') : ''
}

// Whether the text is a field error, a label, a control or a heading.
function isPhrase(ancestors: Node[], hasSchema: boolean) {
  if (ancestors.some(({ type, key }) => type === 'Property' && ['trouble', 'done'].includes(nameOf(key)))) return false
  return ancestors.some((node) => {
    if (node.type === 'CallExpression') return hasSchema
    if (node.type === 'Property') return ['errors', 'subject', 'title'].includes(nameOf(node.key))
    if (node.type === 'JSXAttribute') return ['label', 'what', 'aria-label'].includes(nameOf(node.name))
    if (node.type !== 'JSXElement') return false
    return ['label', 'button', 'Button', 'LinkButton', 'small', 'option', 'legend'].includes(
      nameOf((node.openingElement as Node).name),
    )
  })
}

// Whether the text continues in the next sibling node.
function continuesInSibling(node: Node, ancestors: Node[]) {
  const siblings = (ancestors.at(-1)?.children ?? []) as Node[]
  return node.type === 'JSXText' && siblings.indexOf(node) < siblings.length - 1
}

const texts = ['app', 'server', 'db', 'scripts'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    // scripts/doctor.ts adds the 。 when it prints a message.
    .filter(
      (name) => /\.tsx?$/.test(name) && !/\.test\.|testing|hostile|sample-shop|bench|trial|demo|doctor/.test(name),
    )
    .flatMap((name) => {
      const source = readFileSync(`${folder}/${name}`, 'utf8')
      const hasSchema = source.includes("from 'zod'")
      const found: { text: string; phrase: boolean; file: string }[] = []
      const visit = (node: Node, ancestors: Node[]) => {
        const text = textOf(node)
        if (/[ぁ-ん]/.test(text) && !continuesInSibling(node, ancestors))
          found.push({ text, phrase: isPhrase(ancestors, hasSchema), file: `${folder}/${name}` })
        for (const part of Object.values(node).flat() as Node[]) if (part?.type) visit(part, [...ancestors, node])
      }
      visit(parseSync(name, source).program as unknown as Node, [])
      return found
    }),
)

const isSentence = (text: string) => /(?:です|ます|ません|ました|でした|ください|でしょう)(?:（[^（）]*）)?$/.test(text)
const isSingleSentence = (text: string) => !/。(?!」|）)./.test(text)

test('every sentence of a Japanese message ends with 。', () => {
  const unended = texts.filter(({ text, phrase }) => isSentence(text) && !(phrase && isSingleSentence(text)))
  expect(unended.filter(({ text }) => !specifiedTexts.has(text) && !shortTexts.has(text))).toEqual([])
  const unendedTexts = new Set(unended.map(({ text }) => text))
  expect([...specifiedTexts, ...shortTexts].filter((text) => !unendedTexts.has(text))).toEqual([])
})

test('a single sentence beside a field or in a label has no 。', () => {
  const labels = texts.filter(
    ({ text, phrase }) => phrase && isSingleSentence(text) && isSentence(text.replace(/。$/, '')),
  )
  expect(labels.length).toBeGreaterThan(100)
  expect(labels.filter(({ text }) => text.endsWith('。'))).toEqual([])
})
