import { z } from 'zod'
import { isDay } from '../calendar/month.ts'
import { videoIdOf } from '../media/video.ts'
import { safeLink } from './safe-link.ts'

export const fields = [
  'order',
  'eventDay',
  'title',
  'content',
  'linkUrl',
  'youtubeUrl',
  'image',
  'imageAlt',
  'text1',
  'text2',
  'text3',
] as const
export type Field = (typeof fields)[number]

type Collection = { path: string; fields: readonly Field[]; sortedBy: 'order' | 'event day' }

const introduction = ['order', 'eventDay', 'title', 'content', 'linkUrl', 'image', 'imageAlt'] as const

/** The content collections: the page that shows each, the fields its form has, and how its cards are sorted. */
export const collections = {
  home: { path: '/', fields: ['order', 'text1', 'text2', 'text3', 'linkUrl', 'image'], sortedBy: 'order' },
  dining: { path: '/dining', fields: ['order', 'title', 'content', 'linkUrl', 'image', 'imageAlt'], sortedBy: 'order' },
  videoproduction: {
    path: '/videoproduction',
    fields: ['order', 'eventDay', 'title', 'content', 'youtubeUrl'],
    sortedBy: 'event day',
  },
  municipalarchitect: {
    path: '/municipalarchitect',
    fields: ['order', 'eventDay', 'title', 'content', 'linkUrl', 'youtubeUrl', 'image', 'imageAlt'],
    sortedBy: 'event day',
  },
  webdesignincludebackend: { path: '/webdesignincludebackend', fields: introduction, sortedBy: 'event day' },
  webdesign: { path: '/webdesignincludebackend', fields: introduction, sortedBy: 'event day' },
  vbacreate: { path: '/vbacreate', fields: introduction, sortedBy: 'event day' },
  socialefficiency: { path: '/socialefficiency', fields: introduction, sortedBy: 'event day' },
  tennisrelated: { path: '/tennisrelated', fields: introduction, sortedBy: 'event day' },
} as const satisfies Record<string, Collection>

export type CollectionName = keyof typeof collections
export const collectionNames = Object.keys(collections) as CollectionName[]

const line = (name: string, most: number) => z.string().trim().max(most, `${name}は${most}文字までです`)
const link = z
  .string()
  .trim()
  .refine(
    (url) => url === '' || safeLink(url) !== null,
    'リンクは https:// などで始まるアドレスか、このサイトのページを入力してください',
  )

const rules = {
  order: z.number('並び順は数字で入力してください').nullable().default(null),
  eventDay: z.string().refine(isDay, '日付を選んでください').nullable().default(null),
  title: line('タイトル', 100).min(1, 'タイトルを入力してください'),
  content: line('内容', 5000).min(1, '内容を入力してください'),
  linkUrl: link.default(''),
  youtubeUrl: z
    .string()
    .trim()
    .refine((url) => url === '' || videoIdOf(url) !== null, 'YouTubeの動画のアドレスを入力してください')
    .default(''),
  image: z.string().trim().default(''),
  imageAlt: line('写真の説明', 200).default(''),
  text1: line('1行目', 40).default(''),
  text2: line('2行目', 40).default(''),
  text3: line('写真の説明', 200).default(''),
} satisfies Record<Field, z.ZodType>

/** The rules of a collection's form: its own fields only; home needs a picture and a first line. */
export function contentItemSchema(collection: CollectionName) {
  const own = Object.fromEntries(collections[collection].fields.map((field) => [field, rules[field]]))
  if (collection === 'home') {
    own.image = rules.image.unwrap().min(1, '写真を選んでください')
    own.text1 = rules.text1.unwrap().min(1, '1行目を入力してください')
  }
  return z.object(own)
}

export type ContentFields = { [F in Field]: z.infer<(typeof rules)[F]> }
export type ContentItem = ContentFields & {
  id: string
  collection: CollectionName
  version: number
  createdAt: string
  updatedAt: string
}

/** Sorts as the collection's page does: by order, or by event day and then order; what has none comes last. */
export function compareItems(sortedBy: 'order' | 'event day') {
  return (a: ContentItem, b: ContentItem) =>
    (sortedBy === 'event day' && compareWithLast(a.eventDay, b.eventDay)) ||
    compareWithLast(a.order, b.order) ||
    compareWithLast(a.createdAt, b.createdAt) ||
    compareWithLast(a.id, b.id) ||
    0
}

function compareWithLast<T extends string | number>(a: T | null, b: T | null) {
  if (a === b) return 0
  if (a === null) return 1
  if (b === null) return -1
  return a < b ? -1 : 1
}
