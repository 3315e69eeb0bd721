import { mayManageMembers, maySeeAndEditMember } from '../permissions.ts'
import { contextOf, type RequestContext } from '../request.ts'
import { adoptDrafts, type DraftSubject, type MemberDraft, readDraft, readDraftOwner } from './drafts.server.ts'
import { emptyMember, fieldsOf, type MemberFields, memberFieldNames, type Step, stepNumbers } from './member.ts'
import { validateStep } from './member-schema.ts'
import { readMember } from './members.server.ts'

type DraftProblem = 'id missing' | 'not theirs' | 'not there' | 'registered already' | 'administrators only'

/**
 * Returns the draft with its record, the first unfinished step and the cookie to set. `problem` is the reason if the
 * visitor cannot edit the draft, otherwise null.
 */
export async function readDrafting(context: RequestContext, request: Request, subject: DraftSubject) {
  const { db, visitor, log, clock } = contextOf(context)
  const setCookie = await adoptDrafts(db, request, visitor, clock())
  const createProblem = (problem: DraftProblem) => ({ problem, setCookie })

  if (subject === 'new' && visitor?.member) return createProblem('registered already')
  if (subject === 'nonmember' && !mayManageMembers(visitor)) return createProblem('administrators only')
  const isEdit = subject !== 'new' && subject !== 'nonmember'
  if (isEdit && /^(?:undefined|null|\s*)$/.test(subject)) {
    log.error('Member ID is missing')
    return createProblem('id missing')
  }
  if (isEdit && !maySeeAndEditMember(visitor, subject)) return createProblem('not theirs')
  const record = isEdit ? await readMember(db, visitor, subject) : null
  if (isEdit && !record) return createProblem('not there')
  if (record && visitor?.member?.id !== record.id)
    log.info({ member: record.id, by: visitor?.accountId }, 'private fields shown')

  const draft = await readDraft(db, await readDraftOwner(request, visitor), subject, clock())
  const { administrator, admin, base, ...typed } = draft ?? {}
  const accountFields = subject === 'new' && visitor ? { username: visitor.name, email: visitor.email } : {}
  const values: MemberFields = { ...emptyMember, ...accountFields, ...record?.fields, ...typed }
  const isTicked = (typedFlag: string | undefined, stored = false) =>
    typedFlag === undefined ? stored : typedFlag !== ''
  return {
    problem: null,
    setCookie,
    values,
    draft,
    record,
    base: Number(base ?? record?.version ?? 0),
    flags: mayManageMembers(visitor)
      ? { administrator: isTicked(administrator, record?.administrator), admin: isTicked(admin, record?.admin) }
      : null,
    /** The first step that has a validation error, or 6 if no step has an error. */
    reached: stepNumbers.find((step) => validateStep(step, values) !== null) ?? 6,
  }
}

export function listFormFields({ mayGiveFlags }: { mayGiveFlags: boolean }) {
  const flags = mayGiveFlags ? ['flags', 'administrator', 'admin'] : []
  return [...memberFieldNames, ...flags, 'intent', 'step', 'once', 'base']
}

export function readStepInput(form: FormData, step: Step) {
  const input: MemberDraft = {}
  for (const name of fieldsOf(step)) {
    const value = form.get(name)
    if (typeof value === 'string') input[name] = value
  }
  if (form.has('flags'))
    for (const flag of ['administrator', 'admin'] as const) input[flag] = form.has(flag) ? 'on' : ''
  const base = form.get('base')
  if (typeof base === 'string' && /^\d{1,9}$/.test(base)) input.base = base
  return input
}

export function draftPaths(subject: DraftSubject) {
  if (subject === 'new') return { form: '/membercreate', confirm: '/memberdetailconfirm' }
  if (subject === 'nonmember')
    return { form: '/membercreate?for=nonmember', confirm: '/memberdetailconfirm?for=nonmember' }
  const id = encodeURIComponent(subject)
  return { form: `/membercreate/${id}`, confirm: `/memberdetailconfirm?for=${id}` }
}

export function stepPath(subject: DraftSubject, step: number) {
  const { form } = draftPaths(subject)
  return `${form}${form.includes('?') ? '&' : '?'}step=${step}`
}
