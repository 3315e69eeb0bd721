import { setTimeout as wait } from 'node:timers/promises'
import type { Topic } from '../../app/live/topics.ts'
import { signInDemoPeople } from '../../scripts/sign-in-demo-people.ts'
import type { Site } from '../../scripts/start-site.ts'

export type Editor = { number: number; accountId: string; email: string; cookies: Map<string, string> }
/** Status 0 where there was none. */
type Answer = { status: number; text: string }
/** Asks one of the two processes; `fields` are sent as a form, `json` as a script does it. */
export type Ask = (
  path: string,
  given?: { method?: string; json?: object; form?: Record<string, string> },
) => Promise<Answer>

/** What an editor changes again and again: each save makes the next version of a record, and what it writes says which. */
export type Task = {
  /** As the history names it. */
  record: { subject: 'card' | 'event' | 'specialDay' | 'businessWeek'; id: string }
  what: string
  /** Whether nobody else changes it. */
  own: boolean
  /** What nobody else changes anything of. */
  topic?: Topic
  /** The version that is there now; null where that was not answered. */
  read(ask: Ask): Promise<number | null>
  save(ask: Ask, version: number): Promise<Answer>
  page: string
  /** Whether a page shows this version, or a later one. */
  shows(text: string, version: number): boolean
}

/** An acknowledged save, with the times at which it was sent and answered, and by which process. */
export type Saved = { task: Task; version: number; by: string; sent: number; answered: number; process: number }

/** What came of the editing: `old` names what was read at once on the other process, and was from before the save. */
export type Edited = {
  saved: Saved[]
  newer: { own: number; shared: number }
  refused: Record<string, number>
  reads: number
  old: string[]
  /** For how many milliseconds after the answer others were shown what was before, there. */
  behind: number[]
}

/** How one process is asked with these cookies; what it sets is kept among them. */
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

/** How the administrator of the demo people, who are registered with it, asks a site. */
export async function askingAsAdministrator(site: Site) {
  const cookie = (await signInDemoPeople(site)).administrator
  return askingAs(site.address, new Map(cookie.split('; ').map((pair) => pair.split('=') as [string, string])))
}

/** Saves on one process, reads on the other at once, saves there, and so on. */
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

// Gives the version that the editor goes on from.
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

// Others are shown what is kept until the message comes.
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
