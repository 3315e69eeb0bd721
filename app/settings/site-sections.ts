import type { SiteFacts } from './site.ts'

/** The sections of /site, each of which is saved by itself, by their anchors: what each is called. */
export const siteSections = {
  sign: '店名と印',
  words: '紹介とお知らせ',
  place: '場所と電話',
  // Who has changed the week is led there.
  guide: 'ご案内',
  mail: 'お問い合わせの宛先',
  editing: '編集のしかた',
} as const
export type SiteSection = keyof typeof siteSections
export const siteSectionNames = Object.keys(siteSections) as SiteSection[]

/** The facts that stand in a section; any other is saved where it is of use. */
export type SectionFact = Exclude<keyof SiteFacts, 'setupListHidden'>

// Each has one, in the order in which they stand there.
const sectionOf: Record<SectionFact, SiteSection> = {
  name: 'sign',
  seal: 'sign',
  palette: 'sign',
  description: 'words',
  notice: 'words',
  postalCode: 'place',
  address: 'place',
  telephone: 'place',
  mapQuery: 'place',
  wayPicture: 'place',
  wayPictureAlt: 'place',
  directions: 'place',
  parking: 'place',
  hoursInWords: 'guide',
  firstSlot: 'guide',
  secondSlot: 'guide',
  cuisine: 'guide',
  seats: 'guide',
  priceRange: 'guide',
  payment: 'guide',
  links: 'guide',
  recipientNames: 'mail',
  recipients: 'mail',
  dishesAndCalendarByStaffOnly: 'editing',
  showEditButtonsToVisitors: 'editing',
}

/** The facts of a section, in their order. */
export function factsOfSection(section: SiteSection) {
  const facts = Object.keys(sectionOf) as SectionFact[]
  return facts.filter((fact) => sectionOf[fact] === section)
}

export function isSiteSection(name: unknown): name is SiteSection {
  return siteSectionNames.some((section) => section === name)
}
