import { formAction } from '../forms/form-action.server.ts'
import { Rejection } from '../forms/outcome.ts'
import { PageHead } from '../pages/page-head.tsx'
import { openPage } from '../pages/pages.server.ts'
import { contextOf } from '../request.ts'
import button from '../ui/button.module.css'
import { Button, LinkButton } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import page from '../ui/page.module.css'
import type { Route } from './+types/login-page.ts'
import { assertNoWait, countVisitorAttempt } from './account-deps.server.ts'
import { PrivacyNote } from './account-field.tsx'
import styles from './accounts.module.css'
import { continueToWelcome, useGoogleWindow } from './google-window.ts'
import { PasskeyButton, type PasskeySignInResult } from './passkey-sign-in.tsx'
import { isRegistrationOpen } from './registration.server.ts'
import { signInByPasskey } from './sign-in.server.ts'
import {
  inAppBrowserOf,
  isOriginAllowedByGoogle,
  parseSignInError,
  type SignInError,
  signInErrors,
} from './sign-in-errors.ts'
import { SignOutButton } from './sign-out-button.tsx'
import { useIsSlow } from './use-is-slow.ts'

export async function loader({ request, url, context }: Route.LoaderArgs) {
  const { db, visitor, auth, origin } = contextOf(context)
  const app = inAppBrowserOf(request.headers.get('user-agent'))
  return {
    about: await openPage(context, 'login'),
    registers: await isRegistrationOpen(db),
    visitor,
    problem: parseSignInError(url.searchParams.get('problem')),
    app,
    hasGoogle: auth.hasGoogle,
    closed: googleErrorOf(app, origin),
  }
}

function googleErrorOf(app: ReturnType<typeof inAppBrowserOf>, origin: string): SignInError | null {
  if (app) return 'inApp'
  return isOriginAllowedByGoogle(origin) ? null : 'domain'
}

export const action = formAction<PasskeySignInResult>(
  { fields: ['intent', 'response'] },
  async ({ context, auth, intent, field }) => {
    switch (intent) {
      case 'start passkey':
        assertNoWait(await countVisitorAttempt(context, 'passkey', null))
        return { passkey: await auth.startPasskeySignIn() }
      case 'passkey':
        await signInByPasskey(context, field('response'))
        return { to: '/login/welcome' }
      default:
        throw new Rejection('操作を選び直してください。', 400)
    }
  },
)

export const handle = { cache: 'browser', unlisted: true, hasShortForms: true }

export default function LoginPage({ loaderData }: Route.ComponentProps) {
  const { about, registers, visitor } = loaderData
  const googleWindow = useGoogleWindow()
  // The session exists as soon as the popup has finished, so the page shows the waiting state until the redirect.
  const isWaiting = ['open', 'arrived'].includes(googleWindow.signIn.state)
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <PageHead page={about} />
      {visitor && !isWaiting ? (
        <SignedIn
          name={visitor.name || visitor.email}
          registers={registers && visitor.member === null && visitor.staff === null}
        />
      ) : (
        <SignInMethods {...loaderData} {...googleWindow} />
      )}
    </div>
  )
}

function SignedIn({ name, registers }: { name: string; registers: boolean }) {
  return (
    <>
      <p>{`${name} さんとしてログインしています。`}</p>
      <div className={page.actions}>
        {registers && (
          <LinkButton to="/membercreate" primary>
            メンバー登録へ進む
          </LinkButton>
        )}
        <LinkButton to="/account">アカウント</LinkButton>
        <SignOutButton className={button.button}>ログアウト</SignOutButton>
      </div>
    </>
  )
}

type SignInMethodsProps = Route.ComponentProps['loaderData'] & ReturnType<typeof useGoogleWindow>

function SignInMethods({ registers, hasGoogle, closed, app, signIn, startSignIn, ...props }: SignInMethodsProps) {
  const isSlow = useIsSlow(signIn.state === 'arrived')
  const earlierProblem = signIn.state === 'none' ? props.problem : null
  const problem = signIn.state === 'failed' ? signIn.problem : earlierProblem
  return (
    <>
      {problem && <Notice kind="trouble">{signInErrors[problem]}</Notice>}
      <div role="status">
        {signIn.state === 'open' && <Notice>別のウィンドウでGoogleのログインをお待ちしています。</Notice>}
        {signIn.state === 'arrived' && !isSlow && <Notice>ログインしました。メンバー情報を確認しています…</Notice>}
        {isSlow && (
          <Notice>
            メンバー情報の確認に時間がかかっています。
            <Button onClick={continueToWelcome}>もう一度試す</Button>
          </Notice>
        )}
      </div>
      <div className={styles.choices}>
        {!hasGoogle ? null : closed ? (
          <>
            <Button aria-disabled="true" aria-describedby="google-closed">
              Googleアカウントでログイン
            </Button>
            <p id="google-closed" className={styles.reason}>
              {signInErrors[closed]}
              {closed === 'inApp' && app === 'LINE' && <a href="/login?openExternalBrowser=1">ブラウザで開く</a>}
            </p>
          </>
        ) : (
          <a
            href="/login/google"
            className={`${button.button} ${button.primary}`}
            onClick={(event) => {
              event.preventDefault()
              startSignIn()
            }}
          >
            Googleアカウントでログイン
          </a>
        )}
        <LinkButton to="/emaillogin" primary={!hasGoogle}>
          メールアドレスでログイン
        </LinkButton>
        {registers && <LinkButton to="/signupform">新規登録</LinkButton>}
        <PasskeyButton />
      </div>
      <PrivacyNote />
    </>
  )
}
