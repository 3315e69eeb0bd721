/** Who makes a change, and when (ISO 8601 in UTC); `accountId` is null when the site itself does it. */
export type Author = { accountId: string | null; at: string }

/** One change of one record: `before` is null for an addition, `after` is null for a deletion. */
export type Change = {
  subject: string
  subjectId: string
  action: string
  before: object | null
  after: object | null
}
