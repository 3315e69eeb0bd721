import { setTimeout as wait } from 'node:timers/promises'
import type { Topic } from '../../app/live/topics.ts'
import { signInDemoPeople } from '../../scripts/sign-in-demo-people.ts'
import type { Site } from '../../scripts/start-site.ts'

export type Editor = { number: number; accountId: string; email: string; cookies: Map<string, string> }
/** Response of a process; status 0 means no response. */
type Answer = { status: number; text: string }
/** Sends a request to one of the two processes, with `form` as a form body or `json` as a JSON body. */
export type Ask = (
  path: string,
  given?: { method?: string; json?: object; form?: Record<string, string> },
) => Promise<Answer>

/**
 * Record that an editor changes repeatedly. Each save makes the next version, and its text contains the version number.
 */
export type Task = {
  /** Record type and ID as in the history. */
  record: { subject: 'card' | 'event' | 'specialDay' | 'businessWeek'; id: string }
  what: string
  /** Whether only one editor changes the record. */
  own: boolean
  /** Topic that only this task changes. */
  topic?: Topic
  /** Returns the current version, or null if the request failed. */
  read(ask: Ask): Promise<number | null>
  save(ask: Ask, version: number): Promise<Answer>
  page: string
  /** Whether the text of a page shows this version or a later one. */
  shows(text: string, version: number): boolean
}

/** Confirmed save, with the times of its request and response, its author and its process. */
export type Saved = { task: Task; version: number; by: string; sent: number; answered: number; process: number }

/** Results of all editors. `old` lists reads on the other process that showed the state before the save. */
export type Edited = {
  saved: Saved[]
  newer: { own: number; shared: number }
  refused: Record<string, number>
  reads: number
  old: string[]
  /** Milliseconds after each save during which other visitors still received the old page from that process. */
  behind: number[]
}

/**
 * Returns a function that sends requests to one process with these cookies, and stores the cookies that it sets. `name`
 * filters the cookies by name.
 */
export function askingAs(
  address: string,
  cookies: Map<string, string>,
  name: (cookie: string) => boolean = () => true,
): Ask {
  return async (path, { json, form, method = json || form ? 'POST' : 'GET' } = {}) => {
    const cookie = [...cookies].flatMap(([key, value]) => (name(key) ? [`${key}=${value}`] : [])).join('; ')
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
export async function askingAsAdministrator(site: Site) {
  const cookie = (await signInDemoPeople(site)).administrator
  return askingAs(site.address, new Map(cookie.split('; ').map((pair) => pair.split('=') as [string, string])))
}

/** Repeatedly saves on one process and reads on the other at once, then swaps the processes. */
export async function edit(editor: Editor, task: Task, addresses: readonly string[], until: number, edited: Edited) {
  const on = (process: number) => askingAs(addresses[process] ?? '', editor.cookies)
  let process = editor.number % 2
  let version = await task.read(on(process))
  while (performance.now() < until) {
    if (version === null) {
      note(edited, 0)
      version = await task.read(on(process))
      continue
    }
    const sent = performance.now()
    const { status } = await task.save(on(process), version)
    const save = { task, version: version + 1, by: editor.accountId, sent, answered: performance.now(), process }
    process = 1 - process
    if (status > 0 && status < 400) {
      edited.saved.push(save)
      version = await readAtOnce(editor, save, addresses[process] ?? '', edited)
    } else {
      if (status === 409) edited.newer[task.own ? 'own' : 'shared'] += 1
      else note(edited, status)
      version = await task.read(on(process))
    }
    await wait(2000 + Math.random() * 3000)
  }
}

// Returns the version for the editor's next save, or null.
async function readAtOnce({ cookies }: Editor, { task, version, answered }: Saved, address: string, edited: Edited) {
  const own = async (who: string, brings: (cookie: string) => boolean) => {
    const { status, text } = await askingAs(address, cookies, brings)(task.page)
    if (status !== 200) return note(edited, status)
    edited.reads += 1
    if (!task.shows(text, version)) edited.old.push(`${task.what}: ${task.page}, ${who}`)
  }
  const others = async () => {
    if (task.own) edited.behind.push(await behindFor(task, askingAs(address, new Map()), version, answered))
  }
  const [found] = await Promise.all([
    task.read(askingAs(address, cookies)),
    own('signed out', (name) => !name.includes('session')),
    own('signed in', () => true),
    others(),
  ])
  if (found === null) return null
  edited.reads += 1
  if (found < version) edited.old.push(`${task.what}: version ${found} after ${version}`)
  return found
}

// Other visitors receive the cached page until the invalidation message arrives.
async function behindFor({ page, shows }: Task, ask: Ask, version: number, answered: number) {
  let behind = 0
  for (;;) {
    const asked = performance.now()
    const { status, text } = await ask(page)
    if ((status === 200 && shows(text, version)) || behind > 30_000) return behind
    behind = asked - answered
  }
}

function note({ refused }: Edited, status: number) {
  refused[status] = (refused[status] ?? 0) + 1
}
