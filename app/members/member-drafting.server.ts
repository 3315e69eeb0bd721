import { mayEditMember, mayManageMembers } from '../permissions.ts'
import { contextOf, type RequestContext } from '../request.ts'
import { adoptDrafts, draftOwner, type MemberDraft, readDraft, type Subject } from './drafts.server.ts'
import { fieldsOf, type MemberField, memberFieldNames, type Step, stepNumbers } from './member.ts'
import { errorsOfStep } from './member-schema.ts'
import { readMember } from './members.server.ts'

export type Problem = 'id missing' | 'not theirs' | 'not there' | 'registered already' | 'administrators only'

/** Returns the record under the draft, the first unfinished step and the cookie to set, or else a `problem`. */
export async function readDrafting(context: RequestContext, request: Request, subject: Subject) {
  const { db, visitor } = contextOf(context)
  const setCookie = await adoptDrafts(db, request, visitor)
  const problem = (problem: Problem) => ({ problem, setCookie })

  if (subject === 'new' && visitor?.member) return problem('registered already')
  if (subject === 'nonmember' && !mayManageMembers(visitor)) return problem('administrators only')
  const edits = subject !== 'new' && subject !== 'nonmember'
  if (edits && /^(?:undefined|null|\s*)$/.test(subject)) {
    contextOf(context).log.error('Member ID is missing')
    return problem('id missing')
  }
  if (edits && !mayEditMember(visitor, subject)) return problem('not theirs')
  const record = edits ? await readMember(db, visitor, subject) : null
  if (edits && !record) return problem('not there')
  if (record && visitor?.member?.id !== record.id) {
    contextOf(context).log.info({ member: record.id, by: visitor?.accountId }, 'private fields shown')
  }

  const draft = await readDraft(db, await draftOwner(request, visitor), subject, contextOf(context).clock())
  const own = subject === 'new' && visitor ? { username: visitor.name, email: visitor.email } : {}
  const values: Record<MemberField, string> = { ...empty, ...own, ...record?.fields, ...onlyFields(draft) }
  const flag = (name: 'administrator' | 'admin') =>
    draft?.[name] === undefined ? record?.[name] === true : draft[name] !== ''
  return {
    problem: null,
    setCookie,
    values,
    draft,
    record,
    base: Number(draft?.base ?? record?.version ?? 0),
    flags: mayManageMembers(visitor)
      ? {
          administrator: flag('administrator'),
          admin: flag('admin'),
        }
      : null,
    reached: firstUnfinished(values),
  }
}

const empty = Object.fromEntries(memberFieldNames.map((name) => [name, ''])) as Record<MemberField, string>

function onlyFields(draft: MemberDraft | null) {
  return Object.fromEntries(
    memberFieldNames.flatMap((name) => (draft?.[name] === undefined ? [] : [[name, draft[name]]])),
  )
}

/** Returns the first step with a validation error, or 6 if there is none. */
function firstUnfinished(values: Record<MemberField, string>) {
  return stepNumbers.find((step) => errorsOfStep(step, values) !== null) ?? 6
}

export function formFields({ mayGiveFlags }: { mayGiveFlags: boolean }) {
  const flags = mayGiveFlags ? ['flags', 'administrator', 'admin'] : []
  return [...memberFieldNames, ...flags, 'intent', 'step', 'once', 'base']
}

export function readStepInput(form: FormData, step: Step) {
  const typed: MemberDraft = {}
  for (const name of fieldsOf(step)) {
    const value = form.get(name)
    if (typeof value === 'string') typed[name] = value
  }
  if (form.has('flags'))
    for (const flag of ['administrator', 'admin'] as const) typed[flag] = form.has(flag) ? 'on' : ''
  const base = form.get('base')
  if (typeof base === 'string' && /^\d{1,9}$/.test(base)) typed.base = base
  return typed
}

export function pathsOf(subject: Subject) {
  if (subject === 'new') return { form: '/membercreate', confirm: '/memberdetailconfirm' }
  if (subject === 'nonmember')
    return { form: '/membercreate?for=nonmember', confirm: '/memberdetailconfirm?for=nonmember' }
  const id = encodeURIComponent(subject)
  return { form: `/membercreate/${id}`, confirm: `/memberdetailconfirm?for=${id}` }
}

export function stepPath(subject: Subject, step: number) {
  const { form } = pathsOf(subject)
  return `${form}${form.includes('?') ? '&' : '?'}step=${step}`
}
