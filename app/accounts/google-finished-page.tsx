import { useEffect } from 'react'
import { redirect } from 'react-router'
import { LinkButton } from '../ui/button.tsx'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import type { Route } from './+types/google-finished-page.ts'
import { tellOpener } from './google-window.ts'
import { errorNamed, errorOfCode } from './sign-in-errors.ts'

/** Handles the return from Google: a full page redirects, a popup notifies its opener. */
export function loader({ url }: Route.LoaderArgs) {
  const problem = errorNamed(url.searchParams.get('problem')) ?? errorOfCode(url.searchParams.get('error'))
  const wanted = wantedBy(url.searchParams)
  const next = problem ? withProblem(wanted ?? '/login', problem) : (wanted ?? '/login/welcome')
  if (url.searchParams.get('window') !== 'popup') throw redirect(next)
  return { problem, next }
}

// Fixed targets only, because a URL from the query would be an open redirect.
function wantedBy(asked: URLSearchParams) {
  if (asked.get('for') === 'backup') return '/backup'
  return asked.get('for') === 'invitation'
    ? `/invitation?${new URLSearchParams({ key: asked.get('key') ?? '' })}`
    : null
}

function withProblem(address: string, problem: string) {
  return `${address}${address.includes('?') ? '&' : '?'}problem=${problem}`
}

export const handle = { cache: 'browser', title: 'ログイン' }

export default function GoogleFinishedPage({ loaderData: { problem, next } }: Route.ComponentProps) {
  useEffect(() => {
    tellOpener(problem)
    close()
  }, [problem])
  return (
    <div className={page.page}>
      <PageTitle title="ログイン" english="Login" />
      <p>この画面は閉じていただけます。閉じないときは、次へお進みください。</p>
      <p className={page.actions}>
        <LinkButton to={next} primary>
          次へ進む
        </LinkButton>
      </p>
    </div>
  )
}
