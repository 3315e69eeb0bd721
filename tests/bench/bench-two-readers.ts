import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { Save } from './bench-two-editors.ts'

/** Requests public pages from each process in turn. Returns the duration of each response in milliseconds. */
export async function runReader(addresses: readonly string[], pages: readonly string[], until: number) {
  const waits: number[] = []
  for (let round = Math.floor(Math.random() * pages.length); performance.now() < until; round += 1) {
    await wait(2000 + Math.random() * 6000)
    const url = `${addresses[round % addresses.length]}${pages[round % pages.length]}`
    const began = performance.now()
    const [response] = (await once(get(url, { agent: false, headers: { 'accept-encoding': 'br' } }), 'response')) as [
      IncomingMessage,
    ]
    await once(response.resume(), 'end')
    if (response.statusCode !== 200)
      throw new Error(`Request of ${url} failed: got status ${response.statusCode}, expected 200`)
    waits.push(performance.now() - began)
  }
  return waits
}

/** A page that is connected to a process, with the arrival times of its live events by topic. */
export type Listener = { process: number; events: Map<string, number[]>; close(): void }

export async function openListener(address: string, process: number): Promise<Listener> {
  const [response] = (await once(get(`${address}/api/live`, { agent: false }), 'response')) as [IncomingMessage]
  if (response.statusCode !== 200) throw new Error(`Stream failed: got status ${response.statusCode}, expected 200`)
  const events = new Map<string, number[]>()
  let partialMessage = ''
  response.setEncoding('utf8').on('data', (text: string) => {
    const now = performance.now()
    const messages = `${partialMessage}${text}`.split('\n\n')
    partialMessage = messages.pop() ?? ''
    for (const topic of messages.flatMap((message) => /^data: ?(.+)$/m.exec(message)?.[1]?.split(',') ?? []))
      events.set(topic, [...(events.get(topic) ?? []), now])
  })
  response.on('error', () => {})
  return { process, events, close: () => response.destroy() }
}

/**
 * Returns the delay of each event in milliseconds: from the response to a save until an open page of the other process
 * received the event. The delay is 0 if the event arrived before the response. Also counts the missed events. Includes
 * only topics that one editor changes.
 */
export function measureDelays(saves: Save[], listeners: Listener[]) {
  const delays: number[] = []
  let missed = 0
  const measured = saves.filter(({ task }) => task.topic)
  for (const [index, { task, process, sent, respondedAt }] of measured.entries()) {
    const next = measured.slice(index + 1).find((later) => later.task === task)?.sent ?? Number.POSITIVE_INFINITY
    for (const listener of listeners) {
      if (listener.process === process) continue
      const heardAt = listener.events.get(task.topic ?? '')?.find((time) => time >= sent && time < next)
      if (heardAt === undefined) missed += 1
      else delays.push(Math.max(0, heardAt - respondedAt))
    }
  }
  return { delays: delays.sort((a, b) => a - b), missed }
}
