import type { Generated, Kysely, Transaction } from 'kysely'

export type Db = Kysely<Tables>
export type Trx = Transaction<Tables>

/**
 * Every table of the site. Times are ISO 8601 text in UTC. Days are YYYY-MM-DD text and mean calendar days in Japan.
 */
export interface Tables {
  cards: CardRow
  menuSections: MenuSectionRow
  notices: NoticeRow
  businessWeek: BusinessWeekRow
  specialDays: SpecialDayRow
  events: EventRow
  answers: AnswerRow
  eventGuests: EventGuestRow
  bookings: BookingRow
  eventNotices: EventNoticesRow
  memberFeeds: MemberFeedRow
  extraHolidays: ExtraHolidayRow
  site: SiteRow
  pages: PageRow
  identity: IdentityRow
  accounts: AccountRow
  sessions: SessionRow
  signInMethods: SignInMethodRow
  verifications: VerificationRow
  mailedLinks: MailedLinkRow
  apiTokens: ApiTokenRow
  passkeys: PasskeyRow
  pushDevices: PushDeviceRow
  attempts: AttemptRow
  revisions: RevisionRow
  marks: MarkRow
  members: MemberRow
  mutedMails: MutedMailRow
  circleMessages: CircleMessageRow
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
  translations: TranslationRow
}

/**
 * Translations of a group of records into one language, a BCP 47 tag. `texts` is a JSON object of `Translations`. The ID
 * is the language and the group: `en:dining`.
 */
export interface TranslationRow {
  id: string
  version: number
  language: string
  group: string
  texts: string
  updatedAt: string
}

interface Times {
  createdAt: string
  updatedAt: string
}

/** Row that can be soft-deleted. `deletedAt` is null unless the row is in the bin. */
interface BinnedRow extends Times {
  id: string
  version: number
  deletedAt: string | null
}

/**
 * Card of a page. `draft` is true until the card is published. `price` is text in the form of `storePrices`, in yen
 * including tax. `marks` and `allergens` are lists joined by 、, and `allergensConfirmed` is true if this list is complete.
 * `soldOutAt` is when a dish was last set to sold out for the day. `portraitImage` replaces the `image` of a slide if the
 * viewport is taller than wide. `section` is the ID of a menu section, or empty. Guests see the card from `shownFrom` to
 * `shownUntil` (YYYY-MM-DDTHH:MM in Japan, or empty).
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
  price: string
  marks: string
  allergens: string
  allergensConfirmed: boolean
  soldOutAt: string | null
  section: string
  shownFrom: string
  shownUntil: string
  other: string
}

/**
 * Section of the menu. Its dishes are served during the first or second slot of the day, from `servedFrom` to
 * `servedUntil` (HH:MM), or at any time. `shownFrom`, `shownUntil` and `hiddenUntil` are YYYY-MM-DDTHH:MM in Japan, or
 * empty.
 */
export interface MenuSectionRow {
  id: string
  version: number
  name: string
  introduction: string
  order: number
  served: 'any' | 'slot1' | 'slot2' | 'own'
  servedFrom: string
  servedUntil: string
  draft: boolean
  shownFrom: string
  shownUntil: string
  hiddenUntil: string
  updatedAt: string
  deletedAt: string | null
}

/** Notice for guests. `shownFrom` and `shownUntil` are YYYY-MM-DDTHH:MM in Japan, or empty. */
export interface NoticeRow {
  id: string
  version: number
  text: string
  link: string
  place: 'every' | 'home' | 'dining' | 'calendar' | 'circle'
  important: boolean
  shownFrom: string
  shownUntil: string
  createdAt: string
  updatedAt: string
  deletedAt: string | null
}

/** Weekly opening hours in one row. `schedule` is a JSON object keyed by the nine Japanese day names. */
export interface BusinessWeekRow extends Times {
  id: 'week'
  version: number
  schedule: string
}

/**
 * Override of the weekly hours on one day. `hours` is JSON of its two slots. `cause` and `note` are free text of the
 * shop.
 */
export interface SpecialDayRow extends Times {
  day: string
  version: number
  reason: string
  cause: string
  note: string
  hours: string
}

/** Calendar event. Times are HH:MM. If the end is not after the start, the end is on the next day. */
export interface EventRow extends BinnedRow {
  day: string
  title: string
  content: string
  startTime: string | null
  endTime: string | null
  /** Whether members can RSVP. They can do so until `deadlineTime` (HH:MM) or the end of the day `deadline`. */
  attendance: boolean
  capacity: number | null
  deadline: string | null
  /** Whether only approved members, and the staff who edit the calendar, see the event. */
  membersOnly: boolean
  deadlineTime: string | null
  /** Described by `SeriesColumns`. */
  seriesId: string | null
  occurrence: string | null
  recurrence: '毎週' | '隔週' | '第1' | '第2' | '第3' | '第4' | '第5' | '最終' | null
  changedAlone: Generated<boolean>
}

/**
 * RSVP. `turn` is its position in the queue. The order is that of `answeredAt`, also within one millisecond. `toldPlace`
 * is the place that the member knows, or empty. `came` is null until an organiser marks the attendance.
 */
export interface AnswerRow extends Times {
  eventId: string
  memberId: string
  version: number
  answer: 'yes' | 'no' | 'maybe'
  note: string
  turn: number
  answeredAt: string
  companions: number
  came: boolean | null
  toldPlace: '' | 'coming' | 'waiting'
}

/** Guest without an account at an event. Guests share the queue of the RSVPs. */
export interface EventGuestRow extends BinnedRow {
  eventId: string
  name: string
  turn: number
  came: boolean | null
}

/**
 * Notices of an event that were sent. `toldVersion` is the last announced version of the event, or 0 until the e-mail
 * about the new event. `reminded` is the `deadline` in the last reminder.
 */
export interface EventNoticesRow {
  eventId: string
  toldVersion: number
  reminded: string | null
}

/** Secret address of a member's calendar feed. The token is stored as text, because the member can copy it again. */
export interface MemberFeedRow {
  memberId: string
  token: string
  createdAt: string
}

/**
 * Table for a `party` of guests, from `time` (HH:MM in Japan, or from 24:00 for the night after `day`). A guest has
 * `asked` for it, or `byStaff` it was entered for a guest who telephoned. `offered` means that the shop proposes
 * `offeredDay` and `offeredTime` instead. `reply` is the last text of the shop to the guest. `language` is a BCP 47 tag,
 * or empty for Japanese. `askedAt` is the time of the last request. `remindedAt` is when the shop was reminded of the
 * request, and `givenUpAt` when the guest was told to telephone. `came` is null until the staff mark the attendance.
 */
export interface BookingRow extends BinnedRow {
  day: string
  time: string
  party: number
  name: string
  telephone: string
  email: string
  wish: string
  language: string
  state: 'asked' | 'offered' | 'accepted' | 'declined' | 'cancelled'
  reply: string
  offeredDay: string | null
  offeredTime: string | null
  byStaff: boolean
  came: boolean | null
  askedAt: string
  remindedAt: string | null
  givenUpAt: string | null
}

/** Public holiday from the online source, based on a law that is newer than this program. */
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
 * Page record, with its content as JSON in `facts`. A built-in page has no row until it is edited. `id` is the name of
 * a built-in page. For a page that the owner created, `id` is `p-` and the last path segment.
 */
export interface PageRow {
  id: string
  version: number
  facts: string
  updatedAt: string
  deletedAt: string | null
}

/** Suffix of the identifiers that this site publishes, in one row. The row is written once and never changes. */
export interface IdentityRow {
  id: 'site'
  name: string
}

/**
 * Change of a record. `before` and `after` are JSON of the whole record, or null if the record was missing or in the
 * bin. `version` is the version of the record after the change. All changes of a save share its `saveId`.
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
 * Member of the tennis circle. A `resting` member is not asked and takes no spots. `accountId` is the account that signs in as this member. If an administrator made the
 * record for a person without an account, the record has a `nonMemberId` instead. `accountnameKey` is the account name,
 * normalized for comparison.
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
  resting: boolean
  birthday: string | null
  realname: string | null
}

/** Kind of e-mail that a member has switched off. */
export interface MutedMailRow {
  memberId: string
  kind: 'event' | 'change' | 'reminder' | 'place' | 'message'
}

/**
 * Message of `accountId` to members of the circle. `audience` describes the recipients in Japanese. `recipients` is the
 * number of e-mails.
 */
export interface CircleMessageRow {
  id: string
  audience: string
  subject: string
  text: string
  recipients: number
  accountId: string | null
  createdAt: string
}

/**
 * Staff account of the shop, independent of the circle. The role `editing` permits changes of dishes, hours and events.
 * The role `administration` permits all changes.
 */
export interface StaffRow extends BinnedRow {
  accountId: string
  name: string
  role: 'editing' | 'administration'
}

/**
 * Single-use invitation of the staff member `name`. `key` is the hash of the token. `invitedBy` and `usedBy` are
 * account IDs.
 */
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

/**
 * Setup key that the site printed for /welcome at its start, stored as a hash. Also the account that was created with
 * this key.
 */
export interface WelcomeKeyRow {
  key: string
  accountId: string | null
  createdAt: string
}

/** Unsaved input of the member form. `subject` is the member's ID, and `fields` is JSON. */
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
  /** Set when an administrator removes the account. The account cannot sign in until it is restored. */
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

/** Sign-in method of an account: a password (`credential`) or Google. For Google, `subject` is the Google user ID. */
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

/** Sign-in with Google, or challenge for a passkey, that is not yet completed. */
export interface VerificationRow extends Times {
  id: string
  identifier: string
  value: string
  expiresAt: string
}

/**
 * Link that was mailed to `email` and verifies this address. An `undo` link restores an earlier e-mail address. `key`
 * is the hash of the token.
 */
export interface MailedLinkRow {
  key: string
  purpose: 'verify' | 'change' | 'reset' | 'undo'
  accountId: string
  email: string
  expiresAt: string
}

/** Token that an administrator made for a program. `hash` is the hash of the token. `usedAt` lags up to an hour. */
export interface ApiTokenRow {
  id: string
  hash: string
  accountId: string
  name: string
  scope: 'read' | 'write'
  createdAt: string
  usedAt: string | null
}

/** Passkey. `id` is the credential ID, and `publicKey` a COSE key, both in base64url. */
export interface PasskeyRow {
  id: string
  accountId: string
  name: string
  publicKey: string
  counter: number
  createdAt: string
  usedAt: string | null
}

/**
 * Browser that receives push notifications of the `kinds`, joined by spaces. `sessionId` is the session that switched
 * the notifications on. `publicKey` and `authSecret` are the keys p256dh and auth of RFC 8291, in base64url.
 */
export interface PushDeviceRow {
  id: string
  accountId: string
  sessionId: string
  endpoint: string
  publicKey: string
  authSecret: string
  name: string
  kinds: string
  createdAt: string
}

/** Rate-limit counter, valid until `until`. `key` contains a hash that identifies the client. */
export interface AttemptRow {
  key: string
  count: number
  until: string
}

/**
 * Contact message. `replyTo` is the sender's e-mail address. A suspected `spam` message causes no e-mail and expires at
 * `expiresAt`. For other messages, `expiresAt` is null. `readAt` is null while the message is unread, and `doneAt` is
 * null while the message is open. Searches use `searchText`, which is the normalized text of the message.
 */
export interface MessageRow {
  id: string
  recipient: 'shop' | 'circle' | 'portfolio'
  subject: string
  text: string
  replyTo: string | null
  /** BCP 47 tag of the form's language, or '' for Japanese. */
  language: Generated<string>
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
 * E-mail to `to`, or to the readers of `recipient` at the time of sending. `about` is the contact message of the
 * e-mail, and `replyId` is the reply that the e-mail delivers. If `about` is null, the e-mail is a notice. A `filed`
 * e-mail was written to the data folder and not sent. While the e-mail waits, `dueAt` is the time of the next attempt
 * or the end of the current attempt. `trouble` is the last error. `onceKey` is unique. `unsubscribeUrl` is set for the
 * kinds of e-mail that a member can switch off. The `channel` `push` delivers a notification of a `kind` to the device
 * `to`, and `webhook` to the address in the settings. Its `subject` and `text` are displayed, and open the path `link`.
 */
export interface OutboxRow {
  id: string
  channel: 'mail' | 'push' | 'webhook'
  kind: string | null
  link: string | null
  onceKey: string | null
  about: string | null
  replyId: string | null
  recipient: MessageRow['recipient'] | null
  to: string | null
  replyTo: string | null
  subject: string
  text: string
  html: string
  unsubscribeUrl: string | null
  state: 'waiting' | 'sent' | 'filed' | 'failed'
  attempts: number
  dueAt: string
  trouble: string | null
  waitingSince: string
  createdAt: string
  doneAt: string | null
}

/** Uploaded image: the hash of the upload, the pixel size of the widest file and the time of the last upload. */
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
 * Last off-site backup for each `way`: a download by `accountId`, a copy in the second folder, or a backup that was
 * written by hand to another disk. `madeAt` is the time of the data in the backup. `trouble` is the error of the last
 * attempt, in Japanese.
 */
export interface BackupCopyRow {
  way: 'download' | 'folder' | 'hand' | 's3'
  madeAt: string | null
  accountId: string | null
  trouble: string | null
}
