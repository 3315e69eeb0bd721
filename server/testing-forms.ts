import type { SiteSettings } from '../app/settings/site.ts'
import { siteFormFields, siteFormValues } from '../app/settings/site-form.ts'
import { siteSectionNames } from '../app/settings/site-sections.ts'
import type { sampleSite } from './testing.ts'
import type { Person } from './tools/demo.ts'

type Site = Awaited<ReturnType<typeof sampleSite>>

/** Sends the form of a page that has the button and all fields of `changes`. Other fields stay unchanged. */
export async function sendForm(
  request: (path: string, init: RequestInit) => Promise<Response>,
  { html, path }: { html: string; path: string },
  changes: Record<string, string>,
  button: string,
) {
  const names = Object.keys(changes)
  const form = readForms(html).find(
    (each) => names.every((name) => each.names.has(name)) && each.buttons.some(({ label }) => label.includes(button)),
  )
  if (!form) throw new Error(`Form missing on ${path}: expected the fields ${names} and ${button || 'a button'}`)
  const pressed = form.buttons.find(({ label }) => label.includes(button))
  const body = new URLSearchParams()
  for (const [name, value] of form.fields) if (!(name in changes)) body.append(name, value)
  for (const [name, value] of Object.entries(changes)) if (value !== unticked) body.append(name, value)
  if (pressed?.name) body.append(pressed.name, pressed.value)
  return request(form.action || path, { method: 'POST', headers: { origin: 'http://localhost' }, body })
}

/** Creates a visitor who fills in forms like a browser without scripts. */
export function createFormVisitor({ as }: Pick<Site, 'as'>, person: Person) {
  const read = async (path: string) => (await as(person, path)).text()
  const send = (html: string, path: string, changes: Record<string, string>, button: string) =>
    sendForm((action, init) => as(person, action, init), { html, path }, changes, button)
  /**
   * Sends the form at `path` that has the button and all fields of `changes`. Other fields stay unchanged. `answer` is
   * the button that confirms after a 409. Returns the redirect target, or null. Throws if the final status is an error.
   */
  const fill = async (path: string, changes: Record<string, string>, button = '', answer = '') => {
    let response = await send(await read(path), path, changes, button)
    if (response.status === 409 && answer) response = await send(await response.text(), path, changes, answer)
    if (response.status >= 400)
      throw new Error(`Form on ${path} rejected: got ${response.status}, ${errorsIn(await response.text())}`)
    return response.headers.get('location')
  }
  /** Returns `value` for each empty field of the first form with a step or an idempotency key. */
  const blanks = async (path: string, value: string) => {
    const form = readForms(await read(path)).find(({ names }) => names.has('step') || names.has('once'))
    const empty = form?.fields.filter(([name, given]) => given === '' && name !== 'once') ?? []
    return Object.fromEntries(empty.map(([name]) => [name, value]))
  }
  return { read, fill, blanks }
}

/**
 * Returns the form fields of the section of /site that contains all changed fields. Throws if no section contains them.
 */
export function sectionOfSite(
  { version, facts }: { version: number; facts: SiteSettings },
  { version: other = String(version), ...changes }: Record<string, string>,
): Record<string, string> {
  const section = siteSectionNames.find((name) => {
    const fields = siteFormFields(name)
    return Object.keys(changes).every((field) => fields.includes(field))
  })
  if (!section) throw new Error(`Section of /site missing: expected one with the fields ${Object.keys(changes)}`)
  return { section, version: other, ...siteFormValues(section, facts), ...changes }
}

/** The value of an unticked checkbox, which browsers do not send. */
export const unticked = '\u0000'

/** Returns the forms of a page with the fields that a browser sends if nothing was typed. */
export function readForms(html: string) {
  return [...html.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)].map(([, opening = '', inside = '']) => {
    const fields: [string, string][] = []
    const names = new Set<string>()
    for (const found of inside.matchAll(/<input\b([^>]*)>|<(textarea|select)\b([^>]*)>(.*?)<\/\2>/gs)) {
      const [, ofInput, tag = 'input', ofOther, text = ''] = found
      const rest = ofInput ?? ofOther ?? ''
      const name = attribute(rest, 'name')
      const type = attribute(rest, 'type')
      if (!name) continue
      names.add(name)
      if (tag === 'textarea') fields.push([name, decodeHtml(text.replace(/^\n/, ''))])
      else if (tag === 'select') fields.push([name, chosenIn(text)])
      else if (!/checkbox|radio/.test(type)) fields.push([name, attribute(rest, 'value')])
      else if (/ checked\b/.test(rest)) fields.push([name, attribute(rest, 'value') || 'on'])
    }
    const buttons = [...inside.matchAll(/<button\b([^>]*type="submit"[^>]*)>(.*?)<\/button>/gs)].map(
      ([, rest = '', label = '']) => ({
        name: attribute(rest, 'name'),
        value: attribute(rest, 'value'),
        label: label.replace(/<[^>]*>/g, ''),
      }),
    )
    return { action: attribute(opening, 'action'), fields, names, buttons }
  })
}

function chosenIn(select: string) {
  const options = [...select.matchAll(/<option\b([^>]*)>(.*?)<\/option>/gs)]
  const [, rest = '', label = ''] = options.find(([, rest = '']) => / selected\b/.test(rest)) ?? options[0] ?? []
  return / value=/.test(rest) ? attribute(rest, 'value') : decodeHtml(label)
}

function errorsIn(html: string) {
  return [...html.matchAll(/data-notice="trouble"[^>]*>(.*?)<\/div>|role="alert"[^>]*>(.*?)<\//gs)].map(([, a, b]) =>
    `${a ?? b}`.replace(/<[^>]*>/g, ''),
  )
}

function attribute(rest: string, name: string) {
  return decodeHtml(new RegExp(` ${name}="([^"]*)"`).exec(rest)?.[1] ?? '')
}

/** Decodes the character references of HTML. */
export function decodeHtml(text: string) {
  return text
    .replace(/&#x([0-9a-f]+);/gi, (_, code) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}
