import { isOwnPageId } from './own-page.ts'
import { isPageName, type PageName, type PageSettings, type Place } from './page.ts'
import { plainTextOf } from './plain-text.ts'

type TextSetting = { label: string; most: number; hint?: string; kind?: 'text' }

export const pageTexts = {
  title: { label: 'ページの題', most: 60 },
  english: { label: '英語の題', most: 60, hint: '題の下に小さく出ます。空にすると、出しません。' },
  introduction: { label: 'はじめの文章', most: 2000, kind: 'text', hint: '題の下に出ます。空にすると、出しません。' },
  empty: {
    label: '中身がないときの言葉',
    most: 200,
    kind: 'text',
    hint: '載せるものがまだないあいだ、代わりに出ます。空にすると「ただいま準備しております」と出ます。',
  },
  scenes: { label: '写真の列の見出し', most: 40 },
  imageAlt: { label: '写真や映像の説明', most: 200, hint: '見えない方に読み上げられます。' },
  description: {
    label: '検索結果の説明',
    most: 300,
    kind: 'text',
    hint: '検索やSNSで、題の下に出る文章です。空にすると、お店の紹介になります。',
  },
  label: { label: 'リンクの言葉', most: 30, hint: '空にすると、ページの題になります。' },
} as const satisfies Partial<Record<keyof PageSettings, TextSetting>>
export type PageText = keyof typeof pageTexts

export const placeLabels: Record<Place, string> = {
  menu: '上のメニュー',
  footer: 'ページのいちばん下',
  none: 'どこにも出さない',
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

const pagesWithCards: readonly PageName[] = [
  'dining',
  'videoproduction',
  'municipalarchitect',
  'webdesignincludebackend',
  'vbacreate',
  'socialefficiency',
  'tennisrelated',
]

/** Returns the settings that the form of a page contains. */
export function fieldsOf(id: string): (keyof PageSettings)[] {
  const showsFilm = id === 'infomation' || (id !== 'dining' && isPageName(id) && pagesWithCards.includes(id))
  return [
    'title',
    ...(id === 'home' ? [] : (['english'] as const)),
    ...(isOwnPageId(id) ? (['text'] as const) : (['introduction'] as const)),
    ...(id === 'home' ? (['scenes'] as const) : []),
    ...(isPageName(id) && pagesWithCards.includes(id) ? (['empty'] as const) : []),
    ...(showsFilm ? (['film', 'image', 'imageAlt'] as const) : []),
    'description',
    ...(id === 'home' ? (['english'] as const) : []),
    'label',
    'place',
    'order',
    'shown',
  ]
}

/** Returns the label and limits of a text setting, which differ on the home page. */
export function textSettingOf(id: string, name: PageText): TextSetting {
  return (id === 'home' && homeTextSettings.get(name)) || pageTexts[name]
}

const homeTextSettings = new Map<PageText, TextSetting>([
  ['title', { label: '店名のあとに続く言葉', most: 60, hint: '検索結果やタブで、店名の次に出ます。' }],
  ['introduction', { label: '見出し', most: 200, kind: 'text', hint: '写真の下に大きく出ます。' }],
  ['english', { label: 'リンクの英語', most: 60, hint: 'メニューの言葉の下に小さく出ます。' }],
])

export const MAX_ORDER = 999

export const DEFAULT_EMPTY_TEXT = 'ただいま準備しております。もうしばらくお待ちください。'

/** Returns the settings of a page as Japanese labels and texts, for the history. */
export function describePage(facts: PageSettings): Record<string, string> {
  const texts = Object.entries(pageTexts).map(([name, { label }]) => [label, facts[name as PageText]])
  return {
    見せるか: facts.shown ? '見せる' : '見せない',
    ...Object.fromEntries(texts),
    映像: facts.film && filmLabels[facts.film],
    写真: facts.image,
    本文: plainTextOf(facts.text),
    リンクの場所: placeLabels[facts.place],
    リンクの順番: String(facts.order),
  }
}
