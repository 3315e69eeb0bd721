import { z } from 'zod'
import type { OwnPageId } from './own-page.ts'
import type { Text } from './text.ts'

type DefaultPage = { path: string; title: string; english: string; label: string; place: Place; order: number }

// The title equals the label, unless a page overrides the title.
const menu = (order: number, label: string) => ({ place: 'menu', order, label, title: label }) as const
const footer = (order: number, label: string) => ({ place: 'footer', order, label, title: label }) as const

export const builtInPages = {
  home: { path: '/', english: 'Home', ...menu(1, 'ホーム'), title: '' },
  // The specification requires this spelling.
  infomation: { path: '/infomation', english: 'Infomation', ...menu(2, '店舗案内') },
  dining: { path: '/dining', english: 'Dining', ...menu(3, 'お料理') },
  access: { path: '/access', english: 'Access', ...menu(4, 'アクセス') },
  calendar: { path: '/calendar', english: 'Calendar', ...menu(5, 'カレンダー') },
  videoproduction: {
    path: '/videoproduction',
    english: 'Video production',
    ...footer(1, '動画の作成と公開'),
    title: '動画の作成と公開（動画サイトの活用）',
  },
  municipalarchitect: {
    path: '/municipalarchitect',
    english: 'Municipal architect',
    ...footer(2, '建築の課題を解決するしくみ'),
    title: '建築に関するさまざまな課題を解決するしくみづくり',
  },
  webdesignincludebackend: {
    path: '/webdesignincludebackend',
    english: 'Web design with a backend',
    ...footer(3, 'ウェブデザインとシステム制作'),
  },
  vbacreate: { path: '/vbacreate', english: 'VBA', ...footer(4, 'VBAのご紹介') },
  socialefficiency: { path: '/socialefficiency', english: 'Social efficiency', ...footer(5, '社会の効率化') },
  tennisrelated: { path: '/tennisrelated', english: 'Tennis', ...footer(6, 'テニスサークル') },
  mail: { path: '/mail', english: 'Mail', ...footer(7, 'お問い合わせ') },
  memberlist: { path: '/memberlist', english: 'Members', ...footer(8, 'メンバー一覧') },
  login: { path: '/login', english: 'Login', ...footer(9, '会員ログイン') },
  privacy: { path: '/privacy', english: 'Privacy', ...footer(10, 'プライバシーについて') },
  // The privacy page links to this page.
  accessibility: {
    path: '/accessibility',
    english: 'Accessibility',
    ...footer(11, 'アクセシビリティについて'),
    place: 'none',
  },
} as const satisfies Record<string, DefaultPage>

export type PageName = keyof typeof builtInPages
export type PageId = PageName | OwnPageId
export const pageNames = Object.keys(builtInPages) as PageName[]

export function isPageName(name: string): name is PageName {
  return Object.hasOwn(builtInPages, name)
}

export const places = ['menu', 'footer', 'none'] as const
export type Place = (typeof places)[number]

export const films = ['shop', 'video', 'architect', 'web', 'vba', 'social', 'tennis'] as const

const text = z.string().default('')

/** Settings of a page. Empty texts are not rendered. */
export const PageSettings = z.object({
  shown: z.boolean().default(true),
  title: text,
  english: text,
  label: text,
  place: z.enum(places).default('footer'),
  order: z.number().default(0),
  description: text,
  introduction: text,
  text: z.array(z.custom<Text[number]>()).default([]),
  film: z.enum(['', ...films]).default(''),
  image: text,
  imageAlt: text,
  /** Text that replaces the cards if the page has no cards. */
  empty: text,
  /** Heading of the images on the home page. */
  scenes: text,
})
export type PageSettings = z.infer<typeof PageSettings>

/** Loader data of a page. Only visitors who may edit a hidden page receive its data. */
export type Page = Omit<PageSettings, 'label' | 'place' | 'order'> & {
  id: PageId
  path: string
  mayEdit: boolean
}

export function canBeHidden(id: string) {
  return !['home', 'login', 'privacy'].includes(id)
}

export type PageLink = { to: string; label: string; english: string }
