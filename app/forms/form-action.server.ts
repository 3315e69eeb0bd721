import { type ActionFunctionArgs, data, redirect } from 'react-router'
import { failureOf } from '../../db/failure.ts'
import { t } from '../languages/language.ts'
import { ImageMissing } from '../media/images.server.ts'
import type { CalendarRule, Visitor } from '../permissions.ts'
import { type FormOptions, readForm } from '../platform/form.server.ts'
import { type Author, authorOf, contextOf, type Dependencies, type RequestContext } from '../request.ts'
import { denied, Rejection } from './outcome.ts'
import { reportFailure } from './report-failure.server.ts'
import { failureWithReason, SAVE_FAILED, type SaveResult } from './save-result.ts'
import { readSeenVersion, type SeenVersion } from './seen-version.ts'

export type ActionArgs = Pick<ActionFunctionArgs, 'request' | 'context' | 'url' | 'params'>

export type Submission = Dependencies &
  ActionArgs & {
    form: FormData
    /** Returns the text of a field. Returns '' if the field was not submitted. */
    field: (name: string) => string
    intent: string
    seen: Required<SeenVersion>
    author: Author
  }

type Options = Pick<FormOptions, 'several' | 'pattern'> & {
  fields: readonly string[] | ((args: ActionArgs) => readonly string[])
  /** Returns the intent, which identifies a form on a page with several forms. By default, the field `intent`. */
  intentOf?: (field: Submission['field']) => string
  /** Returns the reason, in Japanese, why the visitor may not submit the form. Returns null if permitted. */
  refusal?: (visitor: Visitor, rule: CalendarRule) => string | null
  /** Fields that an error response repeats for pages without JavaScript. Must not include passwords. */
  repeats?: readonly string[]
  failure?: string | ((intent: string) => string)
}

type ActionReply<Answer> = Answer & { status?: number; headers?: HeadersInit }

/**
 * Returns the action of a form. A thrown `Rejection` becomes the response. Any other error is logged and becomes a
 * failure response. If the page has no JavaScript, `to` becomes a redirect.
 */
export function formAction<Answer extends SaveResult>(
  { fields, several, pattern, intentOf, refusal, repeats, failure }: Options,
  act: (submission: Submission) => Promise<ActionReply<Answer>>,
) {
  return async (args: ActionArgs) => {
    const { request, context } = args
    const { visitor, db, records, log } = contextOf(context)
    const ignored: string[] = []
    const names = typeof fields === 'function' ? fields(args) : fields
    const form = await readForm(request, names, { several, pattern, others: (names) => ignored.push(...names) })
    const field = (name: string) => String(form.get(name) ?? '')
    const intent = intentOf ? intentOf(field) : field('intent')
    const runAction = async (): Promise<ActionReply<SaveResult>> => {
      const sentence = refusal?.(visitor, await records.readRule(db))
      if (sentence) throw denied(visitor, sentence)
      const submission = { form, field, intent, seen: readSeenVersion(form), author: authorOf(context) }
      return act({ ...contextOf(context), ...args, ...submission })
    }
    const reply = await runAction().catch((error): ActionReply<SaveResult> => {
      const repeated = repeats?.filter((name) => form.has(name)).map((name) => [name, field(name)])
      return {
        ...(repeated && { values: Object.fromEntries(repeated) }),
        ...errorReply(context, form, error, typeof failure === 'function' ? failure(intent) : failure),
      }
    })
    const { status = 200, headers = {}, ...response } = reply
    // Ignored fields are not logged if permission is denied, because a denied form saves no fields.
    if (visitor && ignored.length > 0 && status !== 403) log.warn({ ignored, by: visitor.accountId }, 'fields ignored')
    if (response.to !== undefined && !isRouterRequest(request)) return redirect(response.to, { headers })
    return data<SaveResult>({ intent, ...response }, { status, headers })
  }
}

function errorReply(context: RequestContext, form: FormData, error: unknown, failure: string | undefined) {
  if (!(error instanceof Error)) throw error
  if (error instanceof Rejection) return { ...error.result, status: error.status }
  if (error instanceof ImageMissing) {
    // The URL of the missing image may be a part of a field, such as the text of a page.
    const [name] = [...form].find(([, value]) => String(value).includes(error.url)) ?? []
    return name ? { errors: { [name]: [error.message] }, status: 400 } : { trouble: error.message, status: 400 }
  }
  const { log } = contextOf(context)
  const { status, sentence, unanswered } = reportFailure(failure ?? SAVE_FAILED, log, error, 'save error')
  const trouble = failure && failureOf(error) ? failureWithReason(t(failure), sentence) : sentence
  return { trouble, ...(unanswered && { unanswered }), status }
}

/** Whether the router sent the request. The router appends `.data` to the page's URL. */
export function isRouterRequest(request: Request) {
  return new URL(request.url).pathname.endsWith('.data')
}
