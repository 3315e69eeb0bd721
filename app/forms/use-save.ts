import { type FormEvent, type RefObject, startTransition, useEffect, useMemo, useRef, useState } from 'react'
import { type FetcherWithComponents, useActionData, useFetcher, useNavigate, useRevalidator } from 'react-router'
import { preloadScripts } from '../platform/router-workarounds.ts'
import { ownSaves, rememberSave } from './own-saves.ts'
import { type FieldErrors, failureWithReason, NO_CONNECTION, SAVE_FAILED, type SaveResult } from './save-result.ts'
import { clearToast, showToast, urlWithoutNotice } from './toast.ts'
import { useScrollAnchor } from './use-scroll-anchor.ts'

type Options<Answer> = {
  /** Intents of the forms that use this save. On a page without JavaScript, action data of other intents is ignored. */
  intents?: readonly string[]
  check?: (form: FormData) => FieldErrors | null
  /**
   * Whether the form disappears after a successful save. In that case, a toast reports the success. A success with an
   * undo also has a toast, so that no content of the page moves.
   */
  leaves?: boolean
  isReportedHere?: boolean
  resets?: boolean
  replaces?: boolean
  /** Error message of the specification. If the connection is lost, this reason is appended. */
  failure?: string
  /** Runs after a successful response. Navigation waits for the returned promise. */
  onDone?: (answer: Answer) => void | Promise<void>
}

export type Saving<Answer extends SaveResult = SaveResult> = ReturnType<typeof useSave<Answer>>

/** Submits a form without leaving the page. The response stays until the next one, even if the router revalidates. */
export function useSave<Answer extends SaveResult = SaveResult>(options: Options<Answer> = {}) {
  const { check } = options
  const fetcher = useFetcher<Answer>()
  const form = useRef<HTMLFormElement>(null)
  const fetched = fetcher.data as Answer | undefined
  const { send, sending, lostAnswer, onResponse, isPending } = useSending<Answer>(fetcher, form, options)
  const [isInDialog, setIsInDialog] = useState(false)
  const isToast = ({ to, undo }: Answer) =>
    // A modal dialog would cover the toast.
    options.leaves || to !== undefined || (undo !== undefined && !options.isReportedHere && !isInDialog)
  const { anchorTo, updateAnchor } = useScrollAnchor()
  const [isTyped, setTyped] = useState(false)
  const { isNavigating, isRevalidating } = useSuccess(fetched, onResponse, form, isToast, {
    ...options,
    resets: options.resets === true && !isTyped,
  })
  const busy = sending || isNavigating
  const latest = lostAnswer ?? fetched
  const answer = useAnswer(latest, options)
  const { errors, setErrors, round, nextRound, settled } = useErrorsOf(answer)
  const focusAtPress = useRef<Element>(null)
  const isInOtherField = () =>
    document.activeElement !== focusAtPress.current &&
    document.activeElement?.matches('input, select, textarea, [contenteditable]')
  useEffect(() => {
    if (!errors || isInOtherField()) return
    anchorTo(null)
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [round])

  return {
    fetcher,
    send,
    answer,
    busy,
    /** Whether a submission is pending. Unlike `busy`, the result is current even before the next render. */
    isPending,
    /** Whether the page still shows the data from before the last successful save. */
    isRevalidating,
    updateAnchor,
    /** Whether the user has moved to another field since the press. A late response must not move the page or the focus. */
    isInOtherField,
    errors,
    /** Count of responses and failed checks. An increase remounts the notice, so that an equal message is announced. */
    round,
    settled,
    /** Whether the response came with the document, without JavaScript. In that case, the notice receives the focus. */
    cameWithPage: latest === undefined,
    /** Whether a toast reports the success. */
    told: latest !== undefined && isToast(latest),
    /** Whether the form has changed since the submission. The response and an undo must not discard this input. */
    isTyped,
    onSubmit(event: FormEvent<HTMLFormElement>) {
      event.preventDefault()
      if (busy) return
      form.current = event.currentTarget
      focusAtPress.current = document.activeElement
      setIsInDialog(event.currentTarget.closest('dialog') !== null)
      const submitter = (event.nativeEvent as SubmitEvent).submitter as HTMLButtonElement | null
      const fieldErrors = submitter?.formNoValidate ? null : check?.(new FormData(event.currentTarget, submitter))
      setErrors(fieldErrors ?? undefined)
      if (fieldErrors) return nextRound()
      setTyped(false)
      anchorTo(submitter)
      send(submitter ?? event.currentTarget)
    },
    onInput(event: FormEvent<HTMLFormElement>) {
      setTyped(true)
      if (check && errors) setErrors(check(new FormData(event.currentTarget)) ?? undefined)
    },
  }
}

type Target = HTMLFormElement | HTMLButtonElement | Record<string, string>
type Form = RefObject<HTMLFormElement | null>
type ResponseCallback = RefObject<(() => void) | undefined>

// Submits without revalidation, because the router might render the page without this form before the response is read.
function useSending<Answer extends SaveResult>(
  fetcher: FetcherWithComponents<unknown>,
  form: Form,
  { isReportedHere }: Options<Answer>,
) {
  const { revalidate } = useRevalidator()
  const isMounted = useRef(false)
  useEffect(() => {
    isMounted.current = true
    return () => {
      isMounted.current = false
    }
  }, [])
  const onResponse: ResponseCallback = useRef<() => void>(undefined)
  const [lostAnswer, setLostAnswer] = useState<Answer>()
  // fetcher.state updates late if React has much to render, so a second press would submit the form twice.
  const isSubmitting = useRef(false)
  const [sending, setSending] = useState(false)

  async function send(target: Target, options: { action?: string } = {}) {
    if (isSubmitting.current) return
    isSubmitting.current = true
    setSending(true)
    if (!isReportedHere) clearToast()
    const isReady = preloadScripts(options.action ?? form.current?.action ?? '')
    const isSent = isReady === true || (await isReady)
    setLostAnswer(isSent ? undefined : ({ trouble: NO_CONNECTION, unanswered: true } as Answer))
    if (isSent) {
      // fetcher.submit resolves only after the other requests of the router, but the response may arrive earlier.
      const responseArrived = new Promise<void>((resolve) => {
        onResponse.current = resolve
      })
      const submitted = withOwnSaves(target)
      await Promise.race([
        fetcher.submit(submitted, { method: 'post', ...options, defaultShouldRevalidate: false }),
        responseArrived,
      ])
    }
    isSubmitting.current = false
    if (isMounted.current) setSending(false)
    else revalidate()
  }

  return { send, sending, lostAnswer, onResponse, isPending: () => isSubmitting.current }
}

// Adds the IDs of this tab's own saves, because the page may still show a version that is older than these saves.
function withOwnSaves(target: Target): Target {
  const own = ownSaves()
  const form = target instanceof HTMLButtonElement ? target.form : target
  if (!own || !form) return target
  if (!(form instanceof HTMLFormElement)) return { ...form, own }
  // Adds the IDs in an event handler, because the router builds the FormData during the submission.
  form.addEventListener('formdata', ({ formData }) => formData.set('own', own), { once: true })
  return target
}

function useSuccess<Answer extends SaveResult>(
  fetched: Answer | undefined,
  onResponse: ResponseCallback,
  form: Form,
  isToast: (answer: Answer) => boolean,
  { resets = false, replaces = false, onDone }: Options<Answer>,
) {
  const navigate = useNavigate()
  const { revalidate } = useRevalidator()
  const [isNavigating, setIsNavigating] = useState(false)
  const [revalidatedFor, setRevalidatedFor] = useState<Answer>()
  useEffect(() => {
    if (!fetched) return
    rememberSave(fetched)
    onResponse.current?.()
    const handleSuccess = async () => {
      const { done, undo, next, to } = fetched
      if (fetched.isOutdated) return revalidate()
      if (done === undefined && to === undefined) return
      await onDone?.(fetched)
      if (resets && done !== undefined) form.current?.reset()
      const target = new URL(to ?? '', location.href)
      const isInToast = done !== undefined && isToast(fetched)
      if (isInToast) showToast({ done, undo, next, at: target.pathname })
      if (to === undefined) {
        await revalidate()
        // A transition, because the router renders the data in a transition too.
        return startTransition(() => setRevalidatedFor(fetched))
      }
      setIsNavigating(true)
      // The notice and its undo would otherwise return with a reload or a bookmark.
      await navigate(isInToast ? urlWithoutNotice(target) : to, { replace: replaces })
      setIsNavigating(false)
    }
    handleSuccess()
  }, [fetched])
  return { isNavigating, isRevalidating: fetched?.done !== undefined && revalidatedFor !== fetched }
}

function useErrorsOf<Answer extends SaveResult>(answer: Answer | undefined) {
  const [handledAnswer, setHandledAnswer] = useState(answer)
  const [errors, setErrors] = useState(answer?.errors)
  const [round, setRound] = useState(0)
  const nextRound = () => setRound(round + 1)
  const [settled, setSettled] = useState(answer)
  if (answer !== handledAnswer) {
    setHandledAnswer(answer)
    setErrors(answer?.errors)
    nextRound()
    // The save may have succeeded if its response was lost, so the form is sent again with the same idempotency key.
    if (answer && !answer.unanswered) setSettled(answer)
  }
  const currentErrors = errors && Object.keys(errors).length > 0 ? errors : undefined
  return { errors: currentErrors, setErrors, round, nextRound, settled }
}

function useAnswer<Answer extends SaveResult>(latest: Answer | undefined, { intents, failure }: Options<Answer>) {
  // The action data is stored in the state, because the router drops the action data at the next revalidation.
  const [pageAnswer] = useState(useActionData() as Answer | undefined)
  const answer = latest ?? (!intents || intents.includes(pageAnswer?.intent ?? '') ? pageAnswer : undefined)
  return useMemo(() => {
    if (!answer || !failure) return answer
    if (answer.trouble === NO_CONNECTION) return { ...answer, trouble: failureWithReason(failure, NO_CONNECTION) }
    return answer.trouble === SAVE_FAILED ? { ...answer, trouble: failure } : answer
  }, [answer, failure])
}
