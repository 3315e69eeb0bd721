import { Link } from 'react-router'
import { inTransaction } from '../../db/transaction.ts'
import {
  changeEmail,
  changePassword,
  createOwnApiToken,
  requiredProof,
  resendOwnVerification,
} from '../accounts/account-changes.server.ts'
import { readAccount } from '../accounts/accounts.server.ts'
import { revokeApiToken } from '../accounts/api-tokens.server.ts'
import { deviceName } from '../accounts/device.ts'
import { addOwnPasskey, removeOwnPasskey, renameOwnPasskey, startOwnPasskey } from '../accounts/own-passkeys.server.ts'
import { isRegistrationOpen } from '../accounts/registration.server.ts'
import { endSessions } from '../accounts/sessions.server.ts'
import { parseSignInError, signInErrors } from '../accounts/sign-in-errors.ts'
import { SignOutButton } from '../accounts/sign-out-button.tsx'
import { formatDateAndTime } from '../dates/japan.ts'
import { formAction } from '../forms/form-action.server.ts'
import { denied, Rejection } from '../forms/outcome.ts'
import { mailKindNames } from '../members/mail-kinds.ts'
import { readReceivedMails, receiveMails } from '../members/member-mails.server.ts'
import { isAdministrator, mayUseApiTokens } from '../permissions.ts'
import { addPushDevice, pushKindsFor, removePushDevice, savePushKinds } from '../push/devices.server.ts'
import { pushFieldOf, pushKindNames } from '../push/push-kinds.ts'
import { contextOf } from '../request.ts'
import button from '../ui/button.module.css'
import { LinkButton } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import page from '../ui/page.module.css'
import { PageTitle } from '../ui/page-title.tsx'
import type { Route } from './+types/account-page.ts'
import { DeleteAccountSection, DevicesSection, EmailSection, PasswordSection } from './account-sections.tsx'
import { type AccountResult, ApiTokensSection } from './api-tokens-section.tsx'
import { deleteOwnAccount } from './delete-account.server.ts'
import { MailKindsSection } from './mail-kinds-section.tsx'
import { PasskeysSection } from './passkeys-section.tsx'
import { PushSection } from './push-section.tsx'

const SIGN_IN_FIRST = 'ログインしてからご覧ください。'

export async function loader({ request, context, url }: Route.LoaderArgs) {
  const { db, clock, visitor, auth, pushPublicKey } = contextOf(context)
  const { passwords, verifies } = auth
  const signedIn = await auth.session()
  if (!signedIn) return null
  const kinds = pushKindsFor(visitor)
  const { methods, passkeys, sessions, apiTokens, pushDevices } = await readAccount(db, signedIn, clock())
  const problem = parseSignInError(url.searchParams.get('problem'))
  return {
    name: signedIn.name,
    email: signedIn.email,
    emailVerified: signedIn.emailVerified,
    hasPassword: methods.some(({ provider }) => provider === 'credential'),
    hasGoogle: methods.some(({ provider }) => provider === 'google'),
    registers: !visitor?.member && !visitor?.staff && (await isRegistrationOpen(db)),
    passwords,
    verifies,
    push: kinds.length > 0 && {
      publicKey: pushPublicKey,
      sessionId: signedIn.id,
      kinds,
      devices: pushDevices.map((device) => ({ ...device, createdAt: formatDateAndTime(device.createdAt) })),
    },
    mails: visitor?.member ? await readReceivedMails(db, visitor.member.id) : null,
    devices: sessions.map(({ id, userAgent, ipAddress, updatedAt }) => ({
      id,
      name: deviceName(userAgent),
      ipAddress,
      usedAt: formatDateAndTime(updatedAt),
      here: id === signedIn.id,
    })),
    proof: await requiredProof(context, signedIn),
    previousError: problem && signInErrors[problem],
    passkeys: passkeys.map(withTimesOfUse),
    deviceName: deviceName(request.headers.get('user-agent')),
    isAdministrator: isAdministrator(visitor),
    tokens: mayUseApiTokens(visitor) ? apiTokens.map(withTimesOfUse) : null,
  }
}

function withTimesOfUse<T extends { createdAt: string; usedAt: string | null }>(key: T) {
  return { ...key, createdAt: formatDateAndTime(key.createdAt), usedAt: key.usedAt && formatDateAndTime(key.usedAt) }
}

export const action = formAction<AccountResult>(
  {
    fields: [
      ...['intent', 'device', 'email', 'current', 'password', 'agreed', 'token', 'name', 'scope'],
      ...['passkey', 'response', 'endpoint', 'p256dh', 'auth'],
      ...mailKindNames,
      ...pushKindNames.map(pushFieldOf),
    ],
    repeats: ['email', 'name', 'scope'],
  },
  async (submission) => {
    const { intent, field, db, auth, live, visitor, request } = submission
    const session = await auth.session()
    if (!session) throw denied(null, SIGN_IN_FIRST)
    switch (intent) {
      case 'password':
        return changePassword(submission, session)
      case 'email':
        return changeEmail(submission, session)
      case 'verify':
        return resendOwnVerification(submission, session)
      case 'device':
      case 'other devices': {
        const device = intent === 'device' ? { sessionId: field('device') } : {}
        await endSessions(db, session.accountId, { ...device, except: session.id })
        live.endStreamsOf(session.accountId)
        return { done: 'ログアウトしました。' }
      }
      case 'start passkey':
        return startOwnPasskey(submission, session)
      case 'add passkey':
        return addOwnPasskey(submission, session)
      case 'rename passkey':
        return renameOwnPasskey(submission, session)
      case 'remove passkey':
        return removeOwnPasskey(submission, session)
      case 'create token':
        return createOwnApiToken(submission, session)
      case 'revoke token':
        await revokeApiToken(db, session.accountId, field('token'))
        live.endStreamsOf(session.accountId)
        return { done: 'トークンを取り消しました。このトークンを使うプログラムは、すぐに読み書きできなくなります。' }
      case 'mails': {
        const { member } = visitor ?? {}
        if (!member) throw new Rejection('メンバー登録をしてから、選んでください。')
        await inTransaction(db, async (trx) => {
          for (const kind of mailKindNames) await receiveMails(trx, member.id, kind, field(kind) === 'on')
        })
        return { done: '届くメールを保存しました。' }
      }
      case 'add push device':
        return addPushDevice(submission, session, deviceName(request.headers.get('user-agent')))
      case 'save push kinds':
        return savePushKinds(submission, session)
      case 'remove push device':
        await removePushDevice(db, session.accountId, field('device'))
        return { done: '通知を止めました。' }
      case 'leave':
        return deleteOwnAccount(submission, session)
      default:
        throw new Rejection('操作を選び直してください。', 400)
    }
  },
)

export const handle = { cache: 'browser', title: 'アカウント', hasShortForms: true }

export default function AccountPage({ loaderData }: Route.ComponentProps) {
  return (
    <div className={`${page.page} ${page.narrow}`}>
      <PageTitle title="アカウント" english="Account" />
      {loaderData ? <Account {...loaderData} /> : <SignInLink />}
    </div>
  )
}

function SignInLink() {
  return (
    <>
      <p>{SIGN_IN_FIRST}</p>
      <p className={page.actions}>
        <LinkButton to="/login" primary>
          ログイン
        </LinkButton>
      </p>
    </>
  )
}

function Account(account: NonNullable<Route.ComponentProps['loaderData']>) {
  const { hasPassword, hasGoogle, passkeys } = account
  const methods = [hasPassword && 'パスワード', hasGoogle && 'Google', passkeys.length > 0 && 'パスキー'].filter(
    Boolean,
  )
  return (
    <>
      <p>{`${account.name || account.email} さん（${methods.join('・')}でログイン）`}</p>
      <div className={page.actions}>
        <SignOutButton className={button.button}>ログアウト</SignOutButton>
        {account.registers && <LinkButton to="/membercreate">メンバー登録へ進む</LinkButton>}
      </div>
      {account.previousError && <Notice kind="trouble">{account.previousError}</Notice>}
      <EmailSection {...account} />
      <PasswordSection {...account} />
      {account.mails && <MailKindsSection values={account.mails} />}
      {account.push && <PushSection {...account.push} />}
      <PasskeysSection {...account} />
      <DevicesSection {...account} />
      {account.tokens && <ApiTokensSection tokens={account.tokens} proof={account.proof} />}
      <section className={page.section}>
        <h2>お預かりしている情報</h2>
        <p>アカウントと、登録された内容を、一つのファイルで受け取れます。</p>
        <p className={page.actions}>
          <a href="/account/data" download className={button.button}>
            ファイルを受け取る
          </a>
        </p>
      </section>
      <DeleteAccountSection {...account} />
      <p className={page.section}>
        <Link to="/privacy">プライバシーについて</Link>
      </p>
    </>
  )
}
