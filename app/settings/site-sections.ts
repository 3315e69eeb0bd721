import type { SiteFacts } from './site.ts'

/** Titles of the sections of /site by anchor; each section is saved by itself. */
export const siteSections = {
  sign: '店名と印',
  words: '紹介とお知らせ',
  place: '場所と電話',
  // Link target after a save of the weekly schedule.
  guide: 'ご案内',
  mail: 'お問い合わせの宛先',
  editing: '編集のしかた',
} as const
export type SiteSection = keyof typeof siteSections
export const siteSectionNames = Object.keys(siteSections) as SiteSection[]

/** The settings on /site; `setupListHidden` is saved on the page with the checklist. */
export type SectionFact = Exclude<keyof SiteFacts, 'setupListHidden'>

// In display order.
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

export function factsOfSection(section: SiteSection) {
  const facts = Object.keys(sectionOf) as SectionFact[]
  return facts.filter((fact) => sectionOf[fact] === section)
}

export function isSiteSection(name: unknown): name is SiteSection {
  return siteSectionNames.some((section) => section === name)
}
