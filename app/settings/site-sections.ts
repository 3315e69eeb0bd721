import type { SiteSettings } from './site.ts'

/** Titles of the sections of /site by URL anchor. Each section has its own form. */
export const siteSections = {
  sign: '店名と印',
  words: '紹介とお知らせ',
  place: '場所と電話',
  // The page of the weekly schedule links to this URL anchor.
  guide: 'ご案内',
  mail: 'お問い合わせの宛先',
  tables: 'お席のお申し込み',
  languages: 'ことば',
  editing: '編集の設定',
} as const
export type SiteSection = keyof typeof siteSections
export const siteSectionNames = Object.keys(siteSections) as SiteSection[]

/** Settings that /site edits. The setup checklist, not /site, saves `setupListHidden`. */
export type SectionSetting = Exclude<keyof SiteSettings, 'setupListHidden'>

/** Settings of each section, in the order of the form. */
export const settingsBySection: Record<SiteSection, readonly SectionSetting[]> = {
  sign: ['name', 'seal', 'palette'],
  words: ['description'],
  place: [
    ...(['postalCode', 'address', 'telephone', 'mapQuery', 'mapPosition'] as const),
    ...(['wayPicture', 'wayPictureAlt', 'directions', 'parking'] as const),
  ],
  guide: ['hoursInWords', 'firstSlot', 'secondSlot', 'cuisine', 'seats', 'priceRange', 'payment', 'links'],
  mail: ['recipientNames', 'recipients'],
  tables: [
    ...(['takesTableRequests', 'tableGuestsPerHalfHour', 'tableGuestsPerDay', 'tableMaxParty'] as const),
    ...(['tableDaysAhead', 'tableHoursBefore', 'tableMinutesToClosing', 'tableDaysWithout'] as const),
    'tableRetentionDays',
  ],
  languages: ['otherLanguages'],
  editing: ['dishesAndCalendarByStaffOnly', 'showEditButtonsToVisitors'],
}
