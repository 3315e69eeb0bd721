import { type FormEvent, type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import { type FetcherWithComponents, useActionData, useFetcher, useNavigate, useRevalidator } from 'react-router'
import { ownSaves, rememberSave } from './own-saves.ts'
import { type FieldErrors, failureWithReason, NO_CONNECTION, SAVE_FAILED, type SaveAnswer } from './save-answer.ts'
import { clearSiteNotice, tellSite } from './site-notice.ts'
import { bring, scriptMissingFor } from './use-action-at-hand.ts'
import { usePlaceKept } from './use-place-kept.ts'

type Options<Answer> = {
  /** The intents of its forms, where the page has other forms: without scripts its answer is one to these. */
  intents?: readonly string[]
  /** What is wrong with the fields, found before they are sent. */
  check?: (form: FormData) => FieldErrors | null
  /**
   * Whether its form goes away with success: then the success is told at the foot of the screen. A success with an undo
   * is told there in any case, so that a page has one undo, which moves nothing.
   */
  leaves?: boolean
  /** Whether its success is shown where the form is, with its undo. */
  isToldHere?: boolean
  /** Whether its fields are emptied with success. */
  resets?: boolean
  /** Whether the address that it leads to takes the place of this one. */
  replaces?: boolean
  /** The sentence of the specification for a failure; a lost connection is told as its reason. */
  failure?: string
  /** What remains to be done once the server has answered with success; waited for before the page is left. */
  onDone?: (answer: Answer) => void | Promise<void>
}

export type Saving<Answer extends SaveAnswer = SaveAnswer> = ReturnType<typeof useSave<Answer>>

/**
 * The way of a form to the server and back: sent without leaving the page, or as the browser does it where there are no
 * scripts. The answer stays until there is another one, whatever is read meanwhile.
 */
export function useSave<Answer extends SaveAnswer = SaveAnswer>(options: Options<Answer> = {}) {
  const { intents, check } = options
  const fetcher = useFetcher<Answer>()
  const form = useRef<HTMLFormElement>(null)
  const fresh = fetcher.data as Answer | undefined
  const { send, sending, unsent, hear, isOnItsWay } = useSending<Answer>(fetcher, form, options)
  const { keepPlaceOf, keepHere } = usePlaceKept()
  const [isTyped, setTyped] = useState(false)
  const going = useGoingOn(fresh, hear, form, { ...options, resets: options.resets === true && !isTyped })
  const busy = sending || going
  const atFirst = useAnswerOf<Answer>(intents)
  const came = unsent ?? fresh
  const answer = useOwnFailure(came ?? atFirst, options.failure)
  const { errors, setErrors, round, settled } = useErrorsOf(answer)
  const failing = errors && Object.keys(errors).length > 0 ? errors : undefined

  // Where a field is wrong the person goes on there.
  const [failures, setFailures] = useState(0)
  useEffect(() => {
    if (!failing) return
    keepPlaceOf(null)
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [round, failures])

  return {
    fetcher,
    send,
    answer,
    busy,
    /** Whether an answer is awaited at this very moment. */
    isOnItsWay,
    keepHere,
    errors: failing,
    /** Counts the answers: what is said is said anew with each. */
    round: round + failures,
    settled,
    /** Whether the answer came with the page: then there are no scripts, and who reads begins at its top. */
    cameWithPage: came === undefined,
    /** Whether what was done is told elsewhere. */
    told: came !== undefined && isToldAtFoot(came, options, form),
    /** Whether something was typed since the form was sent: no answer and no undo may take it along. */
    isTyped,
    /** Has the fields looked at before they are sent. */
    onSubmit(event: FormEvent<HTMLFormElement>) {
      event.preventDefault()
      if (busy) return
      form.current = event.currentTarget
      const submitter = (event.nativeEvent as SubmitEvent).submitter as HTMLButtonElement | null
      const found = submitter?.formNoValidate ? null : check?.(new FormData(event.currentTarget, submitter))
      setErrors(found ?? undefined)
      if (found) return setFailures(failures + 1)
      setTyped(false)
      keepPlaceOf(submitter)
      send(submitter ?? event.currentTarget)
    },
    /** Looks again at fields of which something was wrong. */
    onInput(event: FormEvent<HTMLFormElement>) {
      setTyped(true)
      if (check && failing) setErrors(check(new FormData(event.currentTarget)) ?? undefined)
    },
  }
}

type Target = HTMLFormElement | HTMLButtonElement | Record<string, string>
type Form = RefObject<HTMLFormElement | null>
/** Called as soon as an answer is there. */
type Hear = RefObject<(() => void) | undefined>

// The router would read the page anew with the answer, and might draw it without this form before that has been read.
function useSending<Answer extends SaveAnswer>(
  fetcher: FetcherWithComponents<unknown>,
  form: Form,
  { isToldHere }: Options<Answer>,
) {
  const { revalidate } = useRevalidator()
  const here = useHere()
  const hear: Hear = useRef<() => void>(undefined)
  // Said here where the form could not even be sent.
  const [unsent, setUnsent] = useState<Answer>()
  // The router's own word for it comes late where React has much to draw, and a second press would be a second sending.
  const onItsWay = useRef(false)
  const [sending, setSending] = useState(false)

  async function send(what: Target, how: { action?: string } = {}) {
    if (onItsWay.current) return
    onItsWay.current = true
    setSending(true)
    if (!isToldHere) clearSiteNotice()
    const script = scriptMissingFor(how.action ?? form.current?.action ?? '')
    const isSent = script === undefined || (await bring(script))
    setUnsent(isSent ? undefined : ({ trouble: NO_CONNECTION, unanswered: true } as Answer))
    if (isSent) {
      // The router says that it is done only when what else it was asking for has come as well.
      const answered = new Promise<void>((resolve) => {
        hear.current = resolve
      })
      const sent = withOwnSaves(what)
      await Promise.race([fetcher.submit(sent, { method: 'post', ...how, defaultShouldRevalidate: false }), answered])
    }
    onItsWay.current = false
    if (here.current) setSending(false)
    else revalidate()
  }

  return { send, sending, unsent, hear, isOnItsWay: () => onItsWay.current }
}

// The page may still show the version from before a save of this tab: the server is told which saves those are.
function withOwnSaves(what: Target): Target {
  const own = ownSaves()
  const form = what instanceof HTMLButtonElement ? what.form : what
  if (!own || !form) return what
  if (!(form instanceof HTMLFormElement)) return { ...form, own }
  // The router reads the form while it submits it.
  form.addEventListener('formdata', ({ formData }) => formData.set('own', own), { once: true })
  return what
}

// With success: what remains to be done, what is told elsewhere, and the way on. True while that way is gone.
function useGoingOn<Answer extends SaveAnswer>(
  fresh: Answer | undefined,
  hear: Hear,
  form: Form,
  options: Options<Answer>,
) {
  const { resets = false, replaces = false, onDone } = options
  const navigate = useNavigate()
  const { revalidate } = useRevalidator()
  const here = useHere()
  const [going, setGoing] = useState(false)
  const arrived = useRef<Answer>(undefined)
  useEffect(() => {
    if (!fresh || fresh === arrived.current) return
    arrived.current = fresh
    rememberSave(fresh)
    hear.current?.()
    const goOn = async () => {
      const { done, undo, to } = fresh
      if (done === undefined && to === undefined) return
      await onDone?.(fresh)
      if (resets && done !== undefined) form.current?.reset()
      if (done && isToldAtFoot(fresh, options, form)) tellSite({ done, undo, at: pathOf(to) })
      if (to === undefined) return revalidate()
      setGoing(true)
      await navigate(to, { replace: replaces })
      if (here.current) setGoing(false)
    }
    goOn()
  }, [fresh])
  return going
}

// Of each answer: what is wrong with which field, and the last one that settles what was sent.
function useErrorsOf<Answer extends SaveAnswer>(answer: Answer | undefined) {
  const [answered, setAnswered] = useState(answer)
  const [errors, setErrors] = useState(answer?.errors)
  const [round, setRound] = useState(0)
  if (answer !== answered) {
    setAnswered(answer)
    setErrors(answer?.errors)
    setRound(round + 1)
  }
  // An answer that was lost may have been a success: the form goes out again under its key.
  const settled = useRef(answer)
  if (answer && !answer.unanswered) settled.current = answer
  return { errors, setErrors, round, settled: settled.current }
}

// The replacement for a lost response (`answerInstead`) does not name the form.
function useOwnFailure<Answer extends SaveAnswer>(answer: Answer | undefined, failure: string | undefined) {
  return useMemo(() => {
    if (!answer || !failure) return answer
    if (answer.trouble === NO_CONNECTION) return { ...answer, trouble: failureWithReason(failure, NO_CONNECTION) }
    return answer.trouble === SAVE_FAILED ? { ...answer, trouble: failure } : answer
  }, [answer, failure])
}

function isToldAtFoot<Answer extends SaveAnswer>({ to, undo }: Answer, options: Options<Answer>, form: Form) {
  if (options.leaves || to !== undefined) return true
  // Under a modal dialog nobody would see it.
  return undo !== undefined && !options.isToldHere && !form.current?.closest('dialog')
}

/** Whether what uses it is still on the page. */
function useHere() {
  const here = useRef(false)
  useEffect(() => {
    here.current = true
    return () => {
      here.current = false
    }
  }, [])
  return here
}

function useAnswerOf<Answer extends SaveAnswer>(intents: readonly string[] | undefined) {
  // The router forgets it as soon as anything of the page is read anew.
  const [answer] = useState(useActionData() as Answer | undefined)
  return !intents || intents.includes(answer?.intent ?? '') ? answer : undefined
}

function pathOf(to: string | undefined) {
  return new URL(to ?? '', location.href).pathname
}
