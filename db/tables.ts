import type { Generated } from 'kysely'

/** Every table of the site. Times are ISO 8601 text in UTC; days are YYYY-MM-DD text, calendar days in Japan. */
export interface Tables {
  cards: CardRow
  businessWeek: BusinessWeekRow
  specialDays: SpecialDayRow
  events: EventRow
  answers: AnswerRow
  eventNotices: EventNoticesRow
  extraHolidays: ExtraHolidayRow
  site: SiteRow
  pages: PageRow
  identity: IdentityRow
  accounts: AccountRow
  sessions: SessionRow
  signInMethods: SignInMethodRow
  verifications: VerificationRow
  mailedLinks: MailedLinkRow
  attempts: AttemptRow
  revisions: RevisionRow
  marks: MarkRow
  members: MemberRow
  memberDrafts: MemberDraftRow
  staff: StaffRow
  invitations: InvitationRow
  welcomeKeys: WelcomeKeyRow
  onceKeys: OnceKeyRow
  messages: MessageRow
  messageReplies: MessageReplyRow
  outbox: OutboxRow
  importedDocuments: ImportedDocumentRow
  pictures: PictureRow
  pictureFiles: PictureFileRow
  backupCopies: BackupCopyRow
}

interface Times {
  createdAt: string
  updatedAt: string
}

/** Row that can be soft-deleted: `deletedAt` is null unless it is in the bin. */
interface BinnedRow extends Times {
  id: string
  version: number
  deletedAt: string | null
}

/**
 * Card of a page. `draft` is 1 until it is published. `price` is in yen including tax, `allergens` is joined by 、 and
 * `allergensConfirmed` is 1 if that list is complete. `soldOutAt` is when a dish was last set to sold out for the day.
 * `portraitImage` replaces a slide's `image` if the viewport is taller than wide.
 */
export interface CardRow extends BinnedRow {
  collection: string
  order: number | null
  title: string
  content: string
  eventDay: string | null
  linkUrl: string
  youtubeUrl: string
  image: string
  portraitImage: string
  imageAlt: string
  text1: string
  text2: string
  text3: string
  draft: boolean
  price: number | null
  allergens: string
  allergensConfirmed: boolean
  soldOutAt: string | null
  other: string
}

/** Weekly opening hours in one row; `schedule` is a JSON object keyed by the nine Japanese day names. */
export interface BusinessWeekRow extends Times {
  id: 'week'
  version: number
  schedule: string
}

/** Override of the weekly hours; `hours` is JSON of its two slots, `cause` and `note` are free text of the shop. */
export interface SpecialDayRow extends Times {
  day: string
  version: number
  reason: string
  cause: string
  note: string
  hours: string
}

/** Calendar event. Times are HH:MM; an end that is not after the start is on the next day. */
export interface EventRow extends BinnedRow {
  day: string
  title: string
  content: string
  startTime: string | null
  endTime: string | null
  /** Whether members can RSVP, until the end of the day `deadline`. */
  attendance: boolean
  capacity: number | null
  deadline: string | null
}

/** RSVP. `turn` is the queue position: it follows `answeredAt`, but also orders RSVPs of the same millisecond. */
export interface AnswerRow extends Times {
  eventId: string
  memberId: string
  version: number
  answer: 'yes' | 'no' | 'maybe'
  note: string
  turn: number
  answeredAt: string
}

/**
 * Sent notices of an event: the last announced version (`toldVersion`) and the `deadline` of the last reminder
 * (`reminded`).
 */
export interface EventNoticesRow {
  eventId: string
  toldVersion: number
  reminded: string | null
}

/** Public holiday from the online source, by a law newer than this program. */
export interface ExtraHolidayRow {
  day: string
  name: string
  acceptedAt: string
}

/** Settings of the site as JSON (`facts`), in one row. */
export interface SiteRow {
  id: 'site'
  version: number
  facts: string
  updatedAt: string
}

/**
 * Page record, `facts` as JSON. A built-in page has no row until it is edited. `id` is the name of a built-in page, or
 * `p-` and the last path segment of an own page.
 */
export interface PageRow {
  id: string
  version: number
  facts: string
  updatedAt: string
  deletedAt: string | null
}

/** Suffix of the identifiers that this site publishes, in one row. It is written once and never changes. */
export interface IdentityRow {
  id: 'site'
  name: string
}

/**
 * Change of a record. `before` and `after` are JSON of the whole record, null if it was missing or in the bin.
 * `version` is the record's version after the change. All changes of a save share its `saveId`.
 */
export interface RevisionRow {
  id: string
  subject: string
  subjectId: string
  action: string
  before: string | null
  after: string | null
  accountId: string | null
  at: string
  version: number
  saveId: string
}

/** One-time event in the life of this database. */
export interface MarkRow {
  name: string
  at: string
}

/**
 * Member of the tennis circle. `accountId` is the account that signs in as this member. A record that an administrator
 * made for a person without an account has a `nonMemberId` instead. `accountnameKey` is normalized for comparison.
 */
export interface MemberRow extends BinnedRow {
  accountId: string | null
  nonMemberId: string | null
  administrator: boolean
  admin: boolean
  username: string
  accountname: string
  accountnameKey: string
  email: string
  address: string
  telNum: string
  profile: string
  tennisExperience: string
  racquetUsed: string
  favoriteShot: string
  strengths: string
  strengthsWeaknesses: string
  struggles: string
  playerStyle: string
  tennisPhilosophy: string
  mainAchievements: string
  hobbiesSkills: string
  birthday: string | null
  realname: string | null
}

/**
 * Staff account of the shop, independent of the circle. Role `editing` covers dishes, hours and events,
 * `administration` all.
 */
export interface StaffRow extends BinnedRow {
  accountId: string
  name: string
  role: 'editing' | 'administration'
}

/** Single-use staff invitation of `name`. `key` is the token's hash; `invitedBy` and `usedBy` are account IDs. */
export interface InvitationRow {
  key: string
  role: StaffRow['role']
  name: string
  invitedBy: string
  createdAt: string
  expiresAt: string
  usedBy: string | null
  usedAt: string | null
  endedAt: string | null
}

/** Setup key that the start printed for /welcome, as a hash, and the account created with it. */
export interface WelcomeKeyRow {
  key: string
  accountId: string | null
  createdAt: string
}

/** Unsaved input of the member form. `subject` is the member's ID, `fields` is JSON. */
export interface MemberDraftRow {
  owner: string
  subject: string
  fields: string
  updatedAt: string
}

/** Idempotency key of a submitted form, with its first result as JSON. */
export interface OnceKeyRow {
  owner: string
  key: string
  result: string
  at: string
}

/** User account. `email` is in lower case. */
export interface AccountRow extends Times {
  id: string
  name: string
  email: string
  emailVerified: boolean
  image: string | null
  version: Generated<number>
  /** Set when an administrator removes the account. It cannot sign in until it is restored. */
  deletedAt: Generated<string | null>
}

export interface SessionRow extends Times {
  id: string
  token: string
  accountId: string
  ipAddress: string | null
  userAgent: string | null
  expiresAt: string
}

/** Sign-in method of an account: password (`credential`) or Google, with `subject` as the Google user ID. */
export interface SignInMethodRow extends Times {
  id: string
  /** Account ID. */
  owner: string
  provider: 'credential' | 'google'
  subject: string
  password: string | null
  accessToken: string | null
  refreshToken: string | null
  idToken: string | null
  accessTokenExpiresAt: string | null
  refreshTokenExpiresAt: string | null
  scope: string | null
}

/** Pending sign-in at Google. */
export interface VerificationRow extends Times {
  id: string
  identifier: string
  value: string
  expiresAt: string
}

/**
 * Link mailed to `email`, which it verifies. An `undo` link restores an earlier e-mail address. `key` is the token's
 * hash.
 */
export interface MailedLinkRow {
  key: string
  purpose: 'verify' | 'change' | 'reset' | 'undo'
  accountId: string
  email: string
  expiresAt: string
}

/** Rate-limit counter, valid until `until`; `key` contains a hash that identifies the client. */
export interface AttemptRow {
  key: string
  count: number
  until: string
}

/**
 * Contact message. `replyTo` is the sender's e-mail address. Suspected `spam` sends no e-mail and expires at
 * `expiresAt`, null for other messages. `readAt` is null while the message is unread, `doneAt` is null while it needs
 * more work. Searches use `searchText`, made by `searchTextOf`.
 */
export interface MessageRow {
  id: string
  recipient: 'shop' | 'circle' | 'portfolio'
  subject: string
  text: string
  replyTo: string | null
  spam: boolean
  createdAt: string
  readAt: string | null
  doneAt: string | null
  searchText: string
  expiresAt: string | null
}

export interface MessageReplyRow {
  id: string
  messageId: string
  text: string
  accountId: string
  createdAt: string
}

/**
 * E-mail to `to`, or to the readers of `recipient` at the time of sending. `about` is its contact message, and
 * `replyId` the reply that it delivers; without `about`, the e-mail is a notice. A `filed` e-mail was written to the
 * data folder and not sent. While the e-mail waits, `dueAt` is the next attempt or the end of the current one.
 * `trouble` is the last error. `onceKey` is unique.
 */
export interface OutboxRow {
  id: string
  onceKey: string | null
  about: string | null
  replyId: string | null
  recipient: MessageRow['recipient'] | null
  to: string | null
  replyTo: string | null
  subject: string
  text: string
  html: string
  state: 'waiting' | 'sent' | 'filed' | 'failed'
  attempts: number
  dueAt: string
  trouble: string | null
  waitingSince: string
  createdAt: string
  doneAt: string | null
}

/** Uploaded image: hash of the upload, pixel size of the widest file, and time of the last upload. */
export interface PictureRow {
  name: string
  width: number
  height: number
  accountId: string | null
  uploadedAt: string
}

export interface PictureFileRow {
  name: string
  width: number
  format: 'avif' | 'webp' | 'jpg'
  bytes: Buffer
}

/** Unchanged document of an older site as JSON, including content that the import does not support. */
export interface ImportedDocumentRow {
  collection: string
  id: string
  fields: string
  importedAt: string
}

/**
 * Last backup that left the machine in each `way`: downloaded by `accountId`, copied to the second folder, or written
 * by hand to another disk. `madeAt` is the time of its data. `trouble` is the error of the last attempt, in Japanese.
 */
export interface BackupCopyRow {
  way: 'download' | 'folder' | 'hand'
  madeAt: string | null
  accountId: string | null
  trouble: string | null
}
