import { setTimeout as wait } from 'node:timers/promises'
import type { Topic } from '../../app/live/topics.ts'
import { signInDemoPeople } from '../../scripts/sign-in-demo-people.ts'
import type { Site } from '../../scripts/start-site.ts'

export type Editor = { number: number; accountId: string; email: string; cookies: Map<string, string> }
/** Response of a process. Status 0 means no response. */
type Answer = { status: number; text: string }
/** Sends a request to one of the two processes, with `form` as a form body or `json` as a JSON body. */
export type Client = (
  path: string,
  options?: { method?: string; json?: object; form?: Record<string, string> },
) => Promise<Answer>

/**
 * Record that an editor changes repeatedly. Each save makes the next version. The text of the record contains its
 * version number.
 */
export type Task = {
  /** Record type and ID, as stored in the history. */
  record: { subject: 'card' | 'event' | 'specialDay' | 'businessWeek'; id: string }
  label: string
  /** Whether only one editor changes the record. */
  own: boolean
  /** Topic that only this task changes. */
  topic?: Topic
  /** Returns the current version, or null if the request failed. */
  read(send: Client): Promise<number | null>
  save(send: Client, version: number): Promise<Answer>
  page: string
  /** Whether the text of a page shows this version or a later one. */
  shows(text: string, version: number): boolean
}

/** Confirmed save, with the times of its request and response, its author and its process. */
export type Save = { task: Task; version: number; author: string; sent: number; respondedAt: number; process: number }

/** Results of all editors. `staleReads` lists reads on the other process that returned the state before the save. */
export type EditResults = {
  saves: Save[]
  conflicts: { own: number; shared: number }
  failures: Record<string, number>
  reads: number
  staleReads: string[]
  /** Milliseconds after each save during which other visitors still received the old page from the other process. */
  staleTimes: number[]
}

/**
 * Returns a function that sends requests to one process with these cookies, and updates them from each response.
 * `isIncluded` selects the cookies to send by their names.
 */
export function createClient(
  address: string,
  cookies: Map<string, string>,
  isIncluded: (cookie: string) => boolean = () => true,
): Client {
  return async (path, { json, form, method = json || form ? 'POST' : 'GET' } = {}) => {
    const cookie = [...cookies].flatMap(([key, value]) => (isIncluded(key) ? [`${key}=${value}`] : [])).join('; ')
    const headers = {
      ...(cookie && { cookie }),
      ...(method !== 'GET' && { origin: address }),
      ...(json && { 'content-type': 'application/json' }),
    }
    const body = json ? JSON.stringify(json) : form && new URLSearchParams(form)
    const sent = { method, headers, redirect: 'manual' as const, signal: AbortSignal.timeout(30_000) }
    const response = await fetch(`${address}${path}`, { ...sent, ...(body && { body }) }).catch(() => null)
    if (!response) return { status: 0, text: '' }
    for (const line of response.headers.getSetCookie()) {
      const [, key = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(key, value)
    }
    return { status: response.status, text: await response.text() }
  }
}

/** Registers the demo people with a site. Returns a function that sends requests as their administrator. */
export async function createAdministratorClient(site: Site) {
  const cookie = (await signInDemoPeople(site)).administrator
  return createClient(site.address, new Map(cookie.split('; ').map((pair) => pair.split('=') as [string, string])))
}

/**
 * Repeatedly saves on one process and then immediately reads on the other process. Swaps the processes after each save.
 */
export async function runEditor(
  editor: Editor,
  task: Task,
  addresses: readonly string[],
  until: number,
  results: EditResults,
) {
  const clientOf = (process: number) => createClient(addresses[process] ?? '', editor.cookies)
  let process = editor.number % 2
  let version = await task.read(clientOf(process))
  while (performance.now() < until) {
    if (version === null) {
      countStatus(results, 0)
      version = await task.read(clientOf(process))
      continue
    }
    const sent = performance.now()
    const { status } = await task.save(clientOf(process), version)
    const save = { task, version: version + 1, author: editor.accountId, sent, respondedAt: performance.now(), process }
    process = 1 - process
    if (status > 0 && status < 400) {
      results.saves.push(save)
      version = await readFromOther(editor, save, addresses[process] ?? '', results)
    } else {
      if (status === 409) results.conflicts[task.own ? 'own' : 'shared'] += 1
      else countStatus(results, status)
      version = await task.read(clientOf(process))
    }
    await wait(2000 + Math.random() * 3000)
  }
}

// Returns the version for the editor's next save, or null if the read failed.
async function readFromOther(
  { cookies }: Editor,
  { task, version, respondedAt }: Save,
  address: string,
  results: EditResults,
) {
  const readAsEditor = async (who: string, includesCookie: (cookie: string) => boolean) => {
    const { status, text } = await createClient(address, cookies, includesCookie)(task.page)
    if (status !== 200) return countStatus(results, status)
    results.reads += 1
    if (!task.shows(text, version)) results.staleReads.push(`${task.label}: ${task.page}, ${who}`)
  }
  const readAsOther = async () => {
    if (task.own)
      results.staleTimes.push(await measureStaleness(task, createClient(address, new Map()), version, respondedAt))
  }
  const [foundVersion] = await Promise.all([
    task.read(createClient(address, cookies)),
    readAsEditor('signed out', (name) => !name.includes('session')),
    readAsEditor('signed in', () => true),
    readAsOther(),
  ])
  if (foundVersion === null) return null
  results.reads += 1
  if (foundVersion < version) results.staleReads.push(`${task.label}: version ${foundVersion} after ${version}`)
  return foundVersion
}

// Other visitors receive the old cached page until the invalidation message arrives.
async function measureStaleness({ page, shows }: Task, send: Client, version: number, respondedAt: number) {
  let staleMs = 0
  for (;;) {
    const sentAt = performance.now()
    const { status, text } = await send(page)
    if ((status === 200 && shows(text, version)) || staleMs > 30_000) return staleMs
    staleMs = sentAt - respondedAt
  }
}

function countStatus({ failures }: EditResults, status: number) {
  failures[status] = (failures[status] ?? 0) + 1
}
