import sharp from 'sharp'
import { expect, test } from 'vitest'
import { sampleSite } from '../../server/testing.ts'

const BOUNDARY = '3f2b-guid'
const disposition = 'content-disposition: form-data'
const partHeaders = `${disposition}; name="image"; filename="photo.jpg"`
const validForm = { before: '', headers: partHeaders, after: `\r\n--${BOUNDARY}--\r\n` }

async function createSite() {
  const { as, db, people } = await sampleSite()
  await people()
  const photo = await sharp({ create: { width: 40, height: 30, channels: 3, background: '#983a25' } })
    .jpeg()
    .toBuffer()
  const send = async (form: Partial<typeof validForm>) => {
    const { before, headers, after } = { ...validForm, ...form }
    const body = Buffer.concat([Buffer.from(`${before}--${BOUNDARY}\r\n${headers}\r\n\r\n`), photo, Buffer.from(after)])
    const response = await as('administrator', '/api/upload', {
      method: 'POST',
      headers: { 'content-type': `multipart/form-data; boundary="${BOUNDARY}"` },
      body,
    })
    return { status: response.status, url: ((await response.json()) as { url: string }).url }
  }
  return { send, db }
}

const acceptedForms: [string, Partial<typeof validForm>][] = [
  [
    'an unquoted name and an encoded file name',
    {
      headers: `content-type: image/jpeg\r\n${disposition}; name=image; filename=photo.jpg; filename*=utf-8''%E5%86%99%E7%9C%9F.jpg`,
    },
  ],
  ['a preamble', { before: 'This is a message of several parts.\r\n' }],
  ['an empty line before the first part', { before: '\r\n' }],
  ['a text part before the image', { before: `--${BOUNDARY}\r\n${disposition}; name=note\r\n\r\nimage\r\n` }],
  [
    'a file name that looks like a field name',
    { headers: `${disposition}; filename="x; name=other.jpg"; name="image"` },
  ],
  ['a file name with quotation marks', { headers: `${disposition}; filename="a\\"; name=\\"other.jpg"; name="image"` }],
  ['more parameters and no spaces', { headers: `Content-Disposition:form-data;size=9;name="image";filename="p.jpg"` }],
  ['spaces after the boundary, and an epilogue', { after: `\r\n--${BOUNDARY}--  \r\nThe end.` }],
  ['a field name after the file name', { headers: `${disposition}; filename*=UTF-8''name=other.jpg; name=image` }],
]

test('stores one image when each form has the same image and another valid syntax', async () => {
  const { send, db } = await createSite()
  const { url } = await send({})
  for (const [syntax, form] of acceptedForms) expect(await send(form), syntax).toEqual({ status: 200, url })
  expect(await db.selectFrom('pictures').selectAll().execute()).toHaveLength(1)
})

const rejectedForms: [string, Partial<typeof validForm>][] = [
  ['has no name', { headers: `${disposition}; filename="name=image"` }],
  ['has only a parameter with a similar name', { headers: `${disposition}; filename="image"; rename=image` }],
  ['names another field', { headers: `${disposition}; name=other; filename=image` }],
  ['does not end', { after: '' }],
  ['follows other text on its line', { before: 'text' }],
]

test('rejects a form when the part with the image is invalid', async () => {
  const { send, db } = await createSite()
  for (const [part, form] of rejectedForms) expect(await send(form), part).toEqual({ status: 400, url: '' })
  expect(await db.selectFrom('pictures').selectAll().execute()).toEqual([])
})
