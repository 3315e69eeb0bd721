/** One change of one record: `before` is null for an addition, `after` is null for a deletion. */
export type Change = {
  subject: string
  subjectId: string
  action: string
  before: object | null
  after: object | null
}
