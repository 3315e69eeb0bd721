export const topics = [
  'home',
  'dining',
  'videoproduction',
  'municipalarchitect',
  'webdesign',
  'webdesignincludebackend',
  'vbacreate',
  'socialefficiency',
  'tennisrelated',
  'site',
  'notices',
  'hours',
  'specialDays',
  'events',
  'answers',
  'members',
  'backups',
  'messages',
  'bookings',
] as const
export type Topic = (typeof topics)[number]

export function isTopic(text: string): text is Topic {
  return (topics as readonly string[]).includes(text)
}
