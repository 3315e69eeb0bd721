/** What a page can be told of having changed: the nine collections, and what else is shown. */
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
  'hours',
  'specialDays',
  'events',
  'answers',
  'members',
  'backups',
  'messages',
] as const
export type Topic = (typeof topics)[number]

/** Whether the text names a topic. */
export function isTopic(text: string): text is Topic {
  return (topics as readonly string[]).includes(text)
}
