import type { Context } from 'hono'
import { failureInWords } from '../../app/forms/failure-in-words.server.ts'
import type { receiveRemoval, receiveUpload } from '../../app/media/serve.server.ts'
import { kinds as allKinds } from '../../app/owner/kinds.server.ts'
import { mayUpload, refusedDishesAndCalendar } from '../../app/permissions.ts'
import { BodyRefused } from '../../app/platform/body.server.ts'
import { removePicture } from '../../app/records/pictures.server.ts'
import { readSite } from '../../app/settings/site.server.ts'
import type { Asking, Env, World } from './asking.ts'

/** `unstored` is added to the body of every error. */
export function handlePictures(
  receive: typeof receiveUpload | typeof receiveRemoval,
  unstored: { url?: '' },
  { db, clock, log, kinds = allKinds }: World,
  asking: Asking,
) {
  return async (c: Context<Env>) => {
    const author = async () => {
      const visitor = await asking.visitorOf(c.req.raw, asking.again(c))
      const site = await readSite(db)
      const refused = { status: visitor ? 403 : 401, message: refusedDishesAndCalendar(visitor, site) } as const
      if (!visitor || !mayUpload(visitor, site)) return refused
      return { accountId: visitor.accountId, at: new Date(clock()).toISOString() }
    }
    const first = await author()
    if ('status' in first) return c.json({ success: false, ...unstored, message: first.message }, first.status)
    const remove = (filename: string, now: number) => removePicture(db, kinds, filename, now)
    try {
      return await receive(c.req.raw, { db, log, author, address: c.var.auth.address, remove })
    } catch (error) {
      if (error instanceof BodyRefused) throw error
      const otherwise = '写真を受け取れませんでした。もう一度お試しください。'
      const { status, sentence } = failureInWords(otherwise, log, error, 'picture not received')
      return c.json({ success: false, ...unstored, message: sentence }, status)
    }
  }
}
