import { isOwnPageId } from './own-page.ts'
import type { PageSettings, Place } from './page.ts'
import { plainTextOf } from './plain-text.ts'

type TextSetting = { label: string; most: number; hint?: string; kind?: 'text' }

export const pageTexts = {
  title: { label: 'ページのタイトル', most: 60 },
  english: { label: '英語のタイトル', most: 60, hint: 'タイトルの下に小さく表示します。空欄なら表示しません。' },
  introduction: {
    label: 'はじめの文章',
    most: 2000,
    kind: 'text',
    hint: 'タイトルの下に表示します。空欄なら表示しません。',
  },
  empty: {
    label: '内容がないときの文章',
    most: 200,
    kind: 'text',
    hint: '載せるものがまだないあいだ、代わりに表示します。空欄なら「ただいま準備しております」と表示します。',
  },
  scenes: { label: '写真の列の見出し', most: 40 },
  imageAlt: { label: '写真や映像の説明', most: 200, hint: '写真や映像を見られない方のために読み上げられます。' },
  description: {
    label: '検索結果の説明',
    most: 300,
    kind: 'text',
    hint: '検索結果やSNSで、タイトルの下に表示される文章です。空欄なら、お店の紹介を使います。',
  },
  label: { label: 'リンクの文字', most: 30, hint: '空欄なら、ページのタイトルを使います。' },
} as const satisfies Partial<Record<keyof PageSettings, TextSetting>>
export type PageText = keyof typeof pageTexts

export const placeLabels: Record<Place, string> = {
  menu: '上のメニュー',
  footer: 'ページのいちばん下',
  none: '表示しない',
}

export const filmLabels: Record<PageSettings['film'], string> = {
  '': '映像なし',
  shop: '店先の暖簾',
  video: '編集の机',
  architect: '図面',
  web: '画面の組み立て',
  vba: '表計算',
  social: '町',
  tennis: '夕方のコート',
}

const pagesWithCards = [
  'dining',
  'videoproduction',
  'municipalarchitect',
  'webdesignincludebackend',
  'vbacreate',
  'socialefficiency',
  'tennisrelated',
]

const linkFields = ['label', 'place', 'order', 'shown'] as const

export function fieldsOf(id: string): (keyof PageSettings)[] {
  if (id === 'home') return ['title', 'introduction', 'scenes', 'description', 'english', ...linkFields]
  const hasCards = pagesWithCards.includes(id)
  const hasFilm = id === 'infomation' || (hasCards && id !== 'dining')
  return [
    'title',
    'english',
    isOwnPageId(id) ? 'text' : 'introduction',
    ...(hasCards ? (['empty'] as const) : []),
    ...(hasFilm ? (['film', 'image', 'imageAlt'] as const) : []),
    'description',
    ...linkFields,
  ]
}

export function textSettingOf(id: string, name: PageText): TextSetting {
  return (id === 'home' && homeTextSettings.get(name)) || pageTexts[name]
}

const homeTextSettings = new Map<PageText, TextSetting>([
  ['title', { label: '店名のあとに続く言葉', most: 60, hint: '検索結果やタブで、店名の次に表示します。' }],
  ['introduction', { label: '見出し', most: 200, kind: 'text', hint: '写真の下に大きく表示します。' }],
  ['english', { label: 'リンクの英語', most: 60, hint: 'メニューの文字の下に小さく表示します。' }],
])

export const MAX_ORDER = 999

export const DEFAULT_EMPTY_TEXT = 'ただいま準備しております。もうしばらくお待ちください。'

export function describePage(facts: PageSettings): Record<string, string> {
  const texts = Object.entries(pageTexts).map(([name, { label }]) => [label, facts[name as PageText]])
  return {
    公開: facts.shown ? '公開' : '非公開',
    ...Object.fromEntries(texts),
    映像: facts.film && filmLabels[facts.film],
    写真: facts.image,
    本文: plainTextOf(facts.text),
    リンクの場所: placeLabels[facts.place],
    リンクの順番: String(facts.order),
  }
}
