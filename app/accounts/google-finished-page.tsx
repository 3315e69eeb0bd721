import { useEffect } from 'react'
import { redirect } from 'react-router'
import { LinkButton } from '../ui/button.tsx'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import type { Route } from './+types/google-finished-page.ts'
import { notifyOpener } from './google-window.ts'
import { errorOfCode, parseSignInError } from './sign-in-errors.ts'

export function loader({ url }: Route.LoaderArgs) {
  const problem = parseSignInError(url.searchParams.get('problem')) ?? errorOfCode(url.searchParams.get('error'))
  const target = targetOf(url.searchParams)
  const next = problem ? addProblem(target ?? '/login', problem) : (target ?? '/login/welcome')
  if (url.searchParams.get('window') !== 'popup') throw redirect(next)
  return { problem, next }
}

// All link targets are fixed, because a URL from the query would be an open redirect.
function targetOf(params: URLSearchParams) {
  if (params.get('for') === 'backup') return '/backup'
  if (params.get('for') === 'account') return '/account'
  return params.get('for') === 'invitation'
    ? `/invitation?${new URLSearchParams({ key: params.get('key') ?? '' })}`
    : null
}

function addProblem(url: string, problem: string) {
  return `${url}${url.includes('?') ? '&' : '?'}problem=${problem}`
}

export const handle = { cache: 'browser', title: 'ログイン' }

export default function GoogleFinishedPage({ loaderData: { problem, next } }: Route.ComponentProps) {
  useEffect(() => {
    notifyOpener(problem)
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
