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

/**
 * A card of one of the nine collections; `draft` is 1 while it waits unpublished. Of a dish: `price` in yen, tax
 * included, `allergens` joined by 、, 1 if that list is confirmed to be complete, and when it was last said to be sold out
 * for the day. Of a slide: `portraitImage` replaces `image` on a screen that is higher than wide.
 */
export interface CardRow {
  id: string
  collection: string
  version: number
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
  draft: number
  price: number | null
  allergens: string
  allergensConfirmed: number
  soldOutAt: string | null
  other: string
  createdAt: string
  updatedAt: string
  deletedAt: string | null
}

/** The weekly hours: one row, its schedule a JSON object keyed by the nine Japanese day names. */
export interface BusinessWeekRow {
  id: 'week'
  version: number
  schedule: string
  createdAt: string
  updatedAt: string
}

/** A day that differs from the week; `hours` is the JSON of its two slots, `cause` and `note` are the shop's own words. */
export interface SpecialDayRow {
  day: string
  version: number
  reason: string
  cause: string
  note: string
  hours: string
  createdAt: string
  updatedAt: string
}

/** Times are HH:MM; an end that is not after the start is on the next day. */
export interface EventRow {
  id: string
  version: number
  day: string
  title: string
  content: string
  startTime: string | null
  endTime: string | null
  /** 1 where the circle's members are asked whether they come; `deadline` is the last day for their answer. */
  attendance: number
  capacity: number | null
  deadline: string | null
  createdAt: string
  updatedAt: string
  deletedAt: string | null
}

/**
 * What a member has answered to an event. `turn` counts the answers of the event: who has a place is decided by its
 * order, which is that of `answeredAt`, also for those who answered in the same millisecond.
 */
export interface AnswerRow {
  eventId: string
  memberId: string
  version: number
  answer: 'yes' | 'no' | 'maybe'
  note: string
  turn: number
  answeredAt: string
  createdAt: string
  updatedAt: string
}

/**
 * What members were told of an event: its changes up to `toldVersion` (the first where there is no row), and of the
 * last day for answers that was `reminded` of.
 */
export interface EventNoticesRow {
  eventId: string
  toldVersion: number
  reminded: string | null
}

/** A holiday of a law newer than this program, as the public source told of it. */
export interface ExtraHolidayRow {
  day: string
  name: string
  acceptedAt: string
}

/** The shop's facts and switches: one row of JSON. */
export interface SiteRow {
  id: 'site'
  version: number
  facts: string
  updatedAt: string
}

/**
 * What the owner says of a page: JSON. Those that every site has have no row until something is said of them; `id` is what
 * such a page is called, and `p-` and the last part of its address for one of the owner's own.
 */
export interface PageRow {
  id: string
  version: number
  facts: string
  updatedAt: string
  deletedAt: string | null
}

/** What the identifiers that this site gives away end with: one row, written once and never changed. */
export interface IdentityRow {
  id: 'site'
  name: string
}

/**
 * Who changed what: `before` and `after` are JSON of the whole record, null where there was none; what lies in the bin is
 * not there. `version` is the record's after it; what was changed together has one `saveId`.
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

/** What has happened once and for all in the life of this database. */
export interface MarkRow {
  name: string
  at: string
}

/**
 * Someone of the tennis circle. `accountId` is who signs in as this member; a record that an administrator made for
 * someone without an account has a `nonMemberId` instead. `accountnameKey` is the account name as it is compared.
 */
export interface MemberRow {
  id: string
  version: number
  accountId: string | null
  nonMemberId: string | null
  administrator: 0 | 1
  admin: 0 | 1
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
  createdAt: string
  updatedAt: string
  deletedAt: string | null
}

/** Someone who works for the shop, beside the circle: edits dishes, hours and events, or runs the site as well. */
export interface StaffRow {
  id: string
  version: number
  accountId: string
  name: string
  role: 'editing' | 'administration'
  createdAt: string
  updatedAt: string
  deletedAt: string | null
}

/**
 * An invitation to become one of them, for whom `name` says: opened once until `expiresAt`, unless it was ended. `key` is the
 * hash of what its link carries, `invitedBy` and `usedBy` are accounts.
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

/** The key to /welcome that the start printed, as a hash, and the account that came by it. */
export interface WelcomeKeyRow {
  key: string
  accountId: string | null
  createdAt: string
}

/** What someone has typed into the member form so far: `subject` is the member it is about, `fields` its JSON. */
export interface MemberDraftRow {
  owner: string
  subject: string
  fields: string
  updatedAt: string
}

/** A form that was sent, and the JSON of its first result, for when it is sent again. */
export interface OnceKeyRow {
  owner: string
  key: string
  result: string
  at: string
}

/** Someone who can sign in; the address is in lower case. */
export interface AccountRow {
  id: string
  name: string
  email: string
  emailVerified: 0 | 1
  image: string | null
  createdAt: string
  updatedAt: string
  version: Generated<number>
  /** When an administrator removed it: it signs in nowhere until it is restored. */
  deletedAt: Generated<string | null>
}

/** A device on which an account is signed in. */
export interface SessionRow {
  id: string
  token: string
  accountId: string
  ipAddress: string | null
  userAgent: string | null
  expiresAt: string
  createdAt: string
  updatedAt: string
}

/** How an account signs in: by its password (`credential`) or at Google, where `subject` is who it is. */
export interface SignInMethodRow {
  id: string
  /** Whose it is: an account. */
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
  createdAt: string
  updatedAt: string
}

/** A sign-in at Google that has begun and not come back. */
export interface VerificationRow {
  id: string
  identifier: string
  value: string
  expiresAt: string
  createdAt: string
  updatedAt: string
}

/**
 * A link sent to `email`: who opens it has that mailbox. It proves the account's address, makes another one its address,
 * sets its password, or gives it back to an address that it had. `key` is the hash of what the link carries.
 */
export interface MailedLinkRow {
  key: string
  purpose: 'verify' | 'change' | 'reset' | 'undo'
  accountId: string
  email: string
  expiresAt: string
}

/** How often something was tried, by whom (a hash of it, in the `key`), counted until an instant. */
export interface AttemptRow {
  key: string
  count: number
  until: string
}

/**
 * A contact message; `replyTo` is the sender's e-mail address. Possible `spam` is held without a mail and listed until
 * `expiresAt`, which is null for every other message. `readAt` is null until an administrator has opened it, or if it is to
 * be opened again; `doneAt` is null until nothing more is to be done. Searches look at `searchText`, made by `searchTextOf`.
 */
export interface MessageRow {
  id: string
  recipient: 'shop' | 'circle' | 'portfolio'
  subject: string
  text: string
  replyTo: string | null
  spam: 0 | 1
  createdAt: string
  readAt: string | null
  doneAt: string | null
  searchText: string
  expiresAt: string | null
}

/** What an administrator, `accountId`, wrote back. */
export interface MessageReplyRow {
  id: string
  messageId: string
  text: string
  accountId: string
  createdAt: string
}

/**
 * A mail that is to leave, or has left: to the address `to` or to whoever reads the mail of `recipient` when it leaves.
 * A mail about a message names that in `about`, a reply's by `replyId` too; the others are notices. `filed` is written to the
 * data folder in place of being sent. While it waits, `dueAt` is the next try, or the end of the try that is under way;
 * `trouble` is what the last try met. Of the same `onceKey` there is one.
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

/**
 * A picture that someone uploaded, and when they last did; its `name` is the hash of what came, its size in pixels that of
 * its widest file.
 */
export interface PictureRow {
  name: string
  width: number
  height: number
  accountId: string | null
  uploadedAt: string
}

/** A picture in one width and format, as it is sent to browsers. */
export interface PictureFileRow {
  name: string
  width: number
  format: 'avif' | 'webp' | 'jpg'
  bytes: Buffer
}

/** A document of an older site as it came, `fields` its JSON: what was not understood of it is still here. */
export interface ImportedDocumentRow {
  collection: string
  id: string
  fields: string
  importedAt: string
}

/**
 * The last backup that left the machine in each way: downloaded by `accountId`, brought to the second folder, or written by
 * hand to another disk. `madeAt` is the instant whose data it holds; `trouble` is why the last try failed, in Japanese.
 */
export interface BackupCopyRow {
  way: 'download' | 'folder' | 'hand'
  madeAt: string | null
  accountId: string | null
  trouble: string | null
}
