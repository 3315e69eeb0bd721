import { expect, test } from 'vitest'
import { browserOf, sampleSite } from './testing.ts'
import { hana } from './testing-account.ts'
import { readForms } from './testing-forms.ts'

const member = ['username', 'accountname', 'email', 'address', 'telNum', 'profile']

// Each form with its path, a unique marker in its HTML, the fields of its button, and its required fields.
const forms: Record<'guest' | 'hana' | 'administrator', [string, string, Record<string, string>, string[]][]> = {
  guest: [
    ['/mail', 'name="subject"', {}, ['to', 'subject', 'text']],
    ['/emaillogin', 'name="email"', {}, ['email', 'password']],
    ['/signupform', 'name="email"', {}, ['name', 'email', 'password']],
    ['/resetpassword', 'name="email"', {}, ['email']],
    ['/membercreate', 'name="step"', { intent: 'next' }, member],
  ],
  hana: [
    ['/account', 'value="email"', { intent: 'email' }, ['email', 'current']],
    ['/account', 'name="password"', { intent: 'password' }, ['current', 'password']],
  ],
  administrator: [
    ['/staff', 'value="invite"', {}, ['name']],
    ['/pages', 'name="title"', {}, ['title', 'name']],
    ['/pages/dining/edit', 'name="english"', {}, ['title', 'order']],
    ['/pages/home/edit', 'name="order"', {}, ['order']],
    ['/site', 'name="seal"', {}, ['name']],
    ['/site', 'name="postalCode"', {}, []],
    ['/site', 'name="recipients.shop"', {}, ['recipientNames.shop']],
    ['/calendar?add=2026-12-01', 'name="startTime"', { intent: 'add' }, ['title']],
    ['/dining/new/add', 'name="price"', { intent: 'add' }, ['title']],
    ['/firestoreservice?databasename=vbacreate', 'name="content"', { intent: 'add' }, ['title', 'content']],
    ['/firestoreservice?databasename=home', 'name="text1"', { intent: 'add' }, ['text1']],
  ],
}

test('rejects an empty form exactly at the fields that its HTML marks as required', async () => {
  const sampleShop = await sampleSite()
  await sampleShop.people()
  const [guest, account] = [browserOf(sampleShop), browserOf(sampleShop)]
  await account.post('/signupform', hana)
  const visitors = {
    guest,
    hana: account,
    administrator: {
      text: async (path: string) => (await sampleShop.as('administrator', path)).text(),
      post: (path: string, fields: Record<string, string>) => sampleShop.post('administrator', path, fields),
    },
  }
  for (const [who, formsOfVisitor] of Object.entries(forms)) {
    const { text, post } = visitors[who as keyof typeof visitors]
    for (const [path, marker, buttonFields, expected] of formsOfVisitor) {
      const shown = formWith(await text(path), marker)
      const [form] = readForms(shown)
      const typed = controlsIn(shown).filter(({ isTyped }) => isTyped)
      const empty = Object.fromEntries(typed.map(({ name }) => [name, '']))
      const response = await post(form?.action || path, {
        ...Object.fromEntries(form?.fields ?? []),
        ...empty,
        ...buttonFields,
      })
      const shownControls = controlsIn(formWith(await response.text(), marker))
      const namesOf = (controls: typeof shownControls) => controls.map(({ name }) => name).sort()
      const label = `${path} ${marker}`
      expect(namesOf(controlsIn(shown).filter(({ required }) => required)), label).toEqual(expected.toSorted())
      expect(namesOf(shownControls.filter(({ wrong }) => wrong)), label).toEqual(expected.toSorted())
      if (expected.length > 0) expect(response.status, label).toBe(400)
    }
  }
})

function formWith(html: string, marker: string) {
  const found = html.match(/<form\b.*?<\/form>/gs)?.find((form) => form.includes(marker))
  if (!found) throw new Error(`Form missing; expected one with ${marker}`)
  return found
}

function controlsIn(form: string) {
  return [...form.matchAll(/<(input|textarea|select)\b([^>]*)>/g)].flatMap(([, tag, rest = '']) => {
    const [, name = ''] = / name="([^"]*)"/.exec(rest) ?? []
    const [, type = ''] = / type="([^"]*)"/.exec(rest) ?? []
    if (!name || type === 'hidden') return []
    const isTyped = tag !== 'select' && !/checkbox|radio|file/.test(type)
    return { name, isTyped, required: / required=/.test(rest), wrong: / aria-invalid="true"/.test(rest) }
  })
}
