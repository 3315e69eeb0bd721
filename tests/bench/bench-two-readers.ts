import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { Saved } from './bench-two-editors.ts'

/** Requests public pages of the processes in turn. Returns the milliseconds of each response. */
export async function read(addresses: readonly string[], pages: readonly string[], until: number) {
  const waits: number[] = []
  for (let turn = Math.floor(Math.random() * pages.length); performance.now() < until; turn += 1) {
    await wait(2000 + Math.random() * 6000)
    const url = `${addresses[turn % addresses.length]}${pages[turn % pages.length]}`
    const began = performance.now()
    const [response] = (await once(get(url, { agent: false, headers: { 'accept-encoding': 'br' } }), 'response')) as [
      IncomingMessage,
    ]
    await once(response.resume(), 'end')
    if (response.statusCode !== 200) throw new Error(`A reader of ${url} was answered ${response.statusCode}.`)
    waits.push(performance.now() - began)
  }
  return waits
}

/** Open page of a process, with the times of its live events by topic. */
export type Listener = { process: number; heard: Map<string, number[]>; close(): void }

export async function listen(address: string, process: number): Promise<Listener> {
  const [response] = (await once(get(`${address}/api/live`, { agent: false }), 'response')) as [IncomingMessage]
  if (response.statusCode !== 200) throw new Error(`A stream was answered ${response.statusCode}.`)
  const heard = new Map<string, number[]>()
  let rest = ''
  response.setEncoding('utf8').on('data', (text: string) => {
    const now = performance.now()
    const messages = `${rest}${text}`.split('\n\n')
    rest = messages.pop() ?? ''
    for (const topic of messages.flatMap((message) => /^data: ?(.+)$/m.exec(message)?.[1]?.split(',') ?? []))
      heard.set(topic, [...(heard.get(topic) ?? []), now])
  })
  response.on('error', () => {})
  return { process, heard, close: () => response.destroy() }
}

/**
 * Returns the milliseconds from the response to a save until each open page of the other process received its event, 0
 * if it was earlier. Also counts the missed events. Includes only topics that one editor changes.
 */
export function delaysOf(saved: Saved[], listeners: Listener[]) {
  const delays: number[] = []
  let missed = 0
  const measured = saved.filter(({ task }) => task.topic)
  for (const [index, { task, process, sent, answered }] of measured.entries()) {
    const next = measured.slice(index + 1).find((later) => later.task === task)?.sent ?? Number.POSITIVE_INFINITY
    for (const listener of listeners) {
      if (listener.process === process) continue
      const at = listener.heard.get(task.topic ?? '')?.find((time) => time >= sent && time < next)
      if (at === undefined) missed += 1
      else delays.push(Math.max(0, at - answered))
    }
  }
  return { delays: delays.sort((a, b) => a - b), missed }
}
