import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { MailMessage, NO_RECIPIENT, sentences } from '../../app/contact/message.ts'
import { receiveMessage } from '../../app/contact/messages.server.ts'
import { Rejection } from '../../app/forms/outcome.ts'
import { reportFailure } from '../../app/forms/report-failure.server.ts'
import { isPageVisible, listPages } from '../../app/pages/pages.server.ts'
import { MAX_TEXT_FORM_BYTES, readJson } from '../../app/platform/body.server.ts'
import { mailOriginOf } from '../origin.ts'
import type { Env, HandlerDependencies } from './request-dependencies.ts'

export function handleMail({ db, clock, log, settings }: HandlerDependencies) {
  return async (c: Context<Env>) => {
    if (!/^application\/json\b/i.test(c.req.header('content-type') ?? ''))
      return c.json({ error: sentences.failed }, 415)
    const { address } = c.var.auth
    const body = await readJson(c.req.raw, { most: MAX_TEXT_FORM_BYTES, address })
    const parsed = MailMessage.strict().safeParse(body)
    if (!parsed.success) {
      const [issue] = parsed.error.issues
      return c.json({ error: issue && issue.path.length > 0 ? issue.message : sentences.failed }, 400)
    }
    try {
      if (!isPageVisible(await listPages(db), 'mail', null)) return c.json({ error: MAIL_CLOSED }, 404)
      const arrival = { address, spam: false, origin: mailOriginOf(c.var.origin, settings), now: clock() }
      await receiveMessage(db, parsed.data, arrival)
      return c.json({ message: sentences.sent })
    } catch (error) {
      if (error instanceof Rejection)
        return c.json({ error: error.result.trouble ?? NO_RECIPIENT }, error.status as ContentfulStatusCode)
      const { status, sentence } = reportFailure(sentences.failed, log, error, 'message not received')
      return c.json({ error: sentence }, status)
    }
  }
}

const MAIL_CLOSED = 'お問い合わせは受け付けておりません。'
