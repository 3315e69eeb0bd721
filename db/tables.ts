import type { Generated } from 'kysely'

/** Times are ISO 8601 text in UTC; days are YYYY-MM-DD text, calendar days in Japan. */
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

/** `deletedAt` is null unless the row is in the bin. */
interface BinnedRow extends Times {
  id: string
  version: number
  deletedAt: string | null
}

/** `price`: yen with tax; `allergens`: joined by 、; `soldOutAt`: for its day only; `portraitImage`: if portrait. */
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

/** `schedule` is a JSON object keyed by the nine Japanese day names. */
export interface BusinessWeekRow extends Times {
  id: 'week'
  version: number
  schedule: string
}

/** `hours` is JSON of two slots; `cause` and `note` are free text of the shop. */
export interface SpecialDayRow extends Times {
  day: string
  version: number
  reason: string
  cause: string
  note: string
  hours: string
}

/** Times are HH:MM; an end not after the start is on the next day. RSVPs close at the end of the day `deadline`. */
export interface EventRow extends BinnedRow {
  day: string
  title: string
  content: string
  startTime: string | null
  endTime: string | null
  attendance: boolean
  capacity: number | null
  deadline: string | null
}

/** `turn` is the queue position, because RSVPs may have the same `answeredAt`. */
export interface AnswerRow extends Times {
  eventId: string
  memberId: string
  version: number
  answer: 'yes' | 'no' | 'maybe'
  note: string
  turn: number
  answeredAt: string
}

/** `toldVersion` was announced last; `reminded` is the `deadline` of the last reminder. */
export interface EventNoticesRow {
  eventId: string
  toldVersion: number
  reminded: string | null
}

/** A holiday by a law newer than this program. */
export interface ExtraHolidayRow {
  day: string
  name: string
  acceptedAt: string
}

export interface SiteRow {
  id: 'site'
  version: number
  facts: string
  updatedAt: string
}

/** `facts` is JSON. A built-in page has no row until it is edited. `id` of an own page: `p-` and its path segment. */
export interface PageRow {
  id: string
  version: number
  facts: string
  updatedAt: string
  deletedAt: string | null
}

/** Suffix of the published identifiers. It never changes. */
export interface IdentityRow {
  id: 'site'
  name: string
}

/** `before` and `after` are JSON of the record, null if missing or binned; `version` is the one after the change. */
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

export interface MarkRow {
  name: string
  at: string
}

/** `nonMemberId` is for a person without an account. `accountnameKey` is normalized for comparison. */
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

/** Role `editing` covers dishes, hours and events, `administration` all. */
export interface StaffRow extends BinnedRow {
  accountId: string
  name: string
  role: 'editing' | 'administration'
}

/** `key` is the token's hash; `invitedBy` and `usedBy` are account IDs. */
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

/** `key` is a hash; `accountId` is the account created with it. */
export interface WelcomeKeyRow {
  key: string
  accountId: string | null
  createdAt: string
}

/** `subject` is the member's ID, `fields` is JSON. */
export interface MemberDraftRow {
  owner: string
  subject: string
  fields: string
  updatedAt: string
}

export interface OnceKeyRow {
  owner: string
  key: string
  result: string
  at: string
}

/** `email` is in lower case. An account with `deletedAt` cannot sign in. */
export interface AccountRow extends Times {
  id: string
  name: string
  email: string
  emailVerified: boolean
  image: string | null
  version: Generated<number>
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

/** `owner` is the account ID, `subject` the Google user ID. */
export interface SignInMethodRow extends Times {
  id: string
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

export interface VerificationRow extends Times {
  id: string
  identifier: string
  value: string
  expiresAt: string
}

/** `key` is the token's hash. An `undo` link restores an earlier e-mail address. */
export interface MailedLinkRow {
  key: string
  purpose: 'verify' | 'change' | 'reset' | 'undo'
  accountId: string
  email: string
  expiresAt: string
}

/** `key` contains a hash that identifies the client. */
export interface AttemptRow {
  key: string
  count: number
  until: string
}

/** Suspected `spam` sends no e-mail and expires at `expiresAt`. `doneAt` is null while the message needs more work. */
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

/** `dueAt` is the next attempt or the end of the current one. A `filed` e-mail is unsent in the data folder. */
export interface OutboxRow {
  id: string
  onceKey: string | null
  about: string | null
  replyId: string | null
  /** Its readers at the time of sending receive the e-mail if `to` is null. */
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

/** `name` is the hash of the upload; the size is in pixels, of the widest file. */
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

/** Unchanged JSON, including content that the import does not support. */
export interface ImportedDocumentRow {
  collection: string
  id: string
  fields: string
  importedAt: string
}

/** `madeAt` is the time of the backup's data. `trouble` is the error of the last attempt, in Japanese. */
export interface BackupCopyRow {
  way: 'download' | 'folder' | 'hand'
  madeAt: string | null
  accountId: string | null
  trouble: string | null
}
