import type { Context } from 'hono'
import { reportFailure } from '../../app/forms/report-failure.server.ts'
import type { handleRemoval, handleUpload } from '../../app/media/image-requests.server.ts'
import { mayUpload, refusedDishesAndCalendar } from '../../app/permissions.ts'
import { BodyRejected } from '../../app/platform/body.server.ts'
import { removeImage } from '../../app/records/images-in-use.server.ts'
import { readSite } from '../../app/settings/site.server.ts'
import type { Env, HandlerDependencies } from './request-dependencies.ts'

export function handleImages(
  { db, clock, log, recordTypes, visitorOf, freshAuth }: HandlerDependencies,
  handle: typeof handleUpload | typeof handleRemoval,
  unstored: { url?: '' },
) {
  return async (c: Context<Env>) => {
    const authorOrRefusal = async () => {
      const visitor = await visitorOf(c.req.raw, freshAuth(c))
      const site = await readSite(db)
      const permissionDenied = {
        status: visitor ? 403 : 401,
        message: refusedDishesAndCalendar(visitor, site),
      } as const
      if (!visitor || !mayUpload(visitor, site)) return permissionDenied
      return { accountId: visitor.accountId, at: new Date(clock()).toISOString() }
    }
    const refusal = await authorOrRefusal()
    if ('status' in refusal) return c.json({ success: false, ...unstored, message: refusal.message }, refusal.status)
    const remove = (filename: string, now: number) => removeImage(db, recordTypes, filename, now)
    try {
      return await handle(c.req.raw, { db, log, author: authorOrRefusal, address: c.var.auth.address, remove })
    } catch (error) {
      if (error instanceof BodyRejected) throw error
      const fallbackSentence = '写真を受け取れませんでした。もう一度お試しください。'
      const { status, sentence } = reportFailure(fallbackSentence, log, error, 'image not received')
      return c.json({ success: false, ...unstored, message: sentence }, status)
    }
  }
}
