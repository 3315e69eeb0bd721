import { Link, redirect } from 'react-router'
import { NewAccountFields } from '../accounts/account-field.tsx'
import { signUpForm } from '../accounts/account-forms.ts'
import styles from '../accounts/accounts.module.css'
import { aroundOf } from '../accounts/around.server.ts'
import { readNewAccount, signedInTo } from '../accounts/sign-in.server.ts'
import { answered, orFailed } from '../forms/answered.server.ts'
import { checkFields } from '../forms/read-fields.ts'
import type { SaveAnswer } from '../forms/save-answer.ts'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import { useSave } from '../forms/use-save.ts'
import { isAdministrator } from '../permissions.ts'
import { readForm } from '../platform/form.server.ts'
import { contextOf, type RequestContext } from '../request.ts'
import { hasHadAdministrator } from '../settings/roles.server.ts'
import { Button } from '../ui/button.tsx'
import { KEEPER } from '../ui/keeper.ts'
import { Notice } from '../ui/notice.tsx'
import page from '../ui/page.module.css'
import { SubmitButton } from '../ui/submit-button.tsx'
import type { Route } from './+types/welcome-page.ts'
import { firstStep, titleOf } from './steps.ts'
import steps from './welcome.module.css'
import { takeFirstPlace, takeFirstPlaceAs, whatKeyOpens } from './welcome.server.ts'
import { WelcomeStep } from './welcome-step.tsx'

export async function loader({ context, url }: Route.LoaderArgs) {
  const { db, visitor, auth } = contextOf(context)
  const { passwords, verifies } = auth
  const token = tokenOf(url.searchParams.get('key'))
  const open = await whatKeyOpens(db, token, { verifies })
  if (!open && isAdministrator(visitor)) throw redirect(firstStep)
  return {
    token,
    goesOn: isAdministrator(visitor),
    open: open && { again: open.accountId !== null, name: open.name, email: open.email || ownerEmailOf(context) },
    closed: open ? null : token || (await hasHadAdministrator(db)) ? CLOSED : NO_KEY,
    visitor: visitor && { name: visitor.name, email: visitor.email },
    passwords,
    verifies,
  }
}

const CLOSED = 'このアドレスは、もう使えません。管理者の方は、ログインしてお進みください。'
const NO_KEY =
  'はじめての設定は、サイトを始めた画面に出ているアドレスを開いてお進みください。お手もとにないときは、サイトを準備した方にお尋ねください。'
const TAKEN = 'このメールアドレスはすでに登録されています。ログインしてから、このアドレスをもう一度開いてください。'

const tokenOf = (given: unknown) => String(given ?? '').slice(0, 100)
const ownerEmailOf = (context: RequestContext) => contextOf(context).ownerEmail ?? ''

export function action(given: Route.ActionArgs) {
  return orFailed(given, () => begin(given))
}

async function begin({ request, context }: Route.ActionArgs) {
  const form = await readForm(request, ['intent', 'key', 'name', 'email', 'password'])
  const intent = String(form.get('intent') ?? '')
  const token = tokenOf(form.get('key'))
  const values = { name: String(form.get('name') ?? ''), email: String(form.get('email') ?? '') }
  const answer = (status: number, said: SaveAnswer) => answered(request, { intent, values, ...said }, status)
  const around = aroundOf(context)
  const { auth, visitor, live } = contextOf(context)
  // Checked before the password is hashed, so that a stranger without a key costs nothing.
  if (!(await whatKeyOpens(around.db, token, auth))) return answer(410, { trouble: CLOSED })

  const ownerEmail = ownerEmailOf(context)
  if (intent === 'as oneself') {
    if (!visitor) return answer(401, { trouble: 'ログインしてから、もう一度お試しください。', signIn: true })
    if (ownerEmail && visitor.email !== ownerEmail) return answer(403, { trouble: notOwner })
    if (!(await takeFirstPlaceAs(around, token, visitor))) return answer(410, { trouble: CLOSED })
    live.endStreamsOf(visitor.accountId)
    return answered(request, { intent, to: firstStep })
  }
  const { value, refusal } = await readNewAccount(context, form)
  if (refusal) return answer(...refusal)
  const { email, password } = value
  if (ownerEmail && email !== ownerEmail) return answer(400, { errors: { email: [notOwner] } })
  const taken = await takeFirstPlace(around, token, value)
  if (taken === 'taken') return answer(409, { errors: { email: [TAKEN] } })
  if (taken === 'closed') return answer(410, { trouble: CLOSED })
  const to = await signedInTo(context, auth.signInUnproven(email, password), firstStep)
  return answered(request, { intent, to })
}

const notOwner = `このサイトの管理者になれるのは、前もって決められたメールアドレスの方だけです。${KEEPER}にお尋ねください。`

export const handle = { title: titleOf(1), cache: 'none' }

export default function WelcomePage({ loaderData }: Route.ComponentProps) {
  const { token, open, closed, visitor } = loaderData
  return (
    <WelcomeStep step={1}>
      {!open && (
        <>
          <Notice>{closed}</Notice>
          <p className={page.actions}>
            <Link to="/emaillogin">メールアドレスでログイン</Link>
          </p>
        </>
      )}
      {open && visitor && !open.again && <AsOneself token={token} visitor={visitor} />}
      {open && (!visitor || open.again) && <Owner {...loaderData} open={open} />}
    </WelcomeStep>
  )
}

function AsOneself({ token, visitor }: { token: string; visitor: { name: string; email: string } }) {
  const save = useSave({ intents: ['as oneself'] })
  return (
    <SaveForm save={save} className={styles.form}>
      <input type="hidden" name="key" value={token} />
      <p>
        {`${visitor.name || visitor.email} さん（${visitor.email}）としてログインしています。このアカウントが、サイトの管理者になります。`}
      </p>
      <Button type="submit" primary name="intent" value="as oneself" aria-disabled={save.busy}>
        管理者になって、次へ
      </Button>
      <Outcome save={save} />
    </SaveForm>
  )
}

type OwnerProps = Pick<Route.ComponentProps['loaderData'], 'token' | 'passwords' | 'verifies' | 'goesOn'> & {
  open: { again: boolean; name: string; email: string }
}

function Owner({ token, open, passwords, verifies, goesOn }: OwnerProps) {
  const save = useSave({ intents: ['begin'], check: checkFields(signUpForm(passwords)) })
  return (
    <SaveForm save={save} className={styles.form}>
      <input type="hidden" name="key" value={token} />
      {open.again ? (
        <p className={steps.lead}>
          {`前に入れた ${open.email} は、まだ確認されていません。アドレスが違っていたときは、ここで入れ直せます。`}
        </p>
      ) : (
        <p className={steps.lead}>あなたのことを教えてください。お店のサイトの管理者になります。</p>
      )}
      <NewAccountFields
        save={save}
        policy={passwords}
        first={open}
        // Without mail a mistyped password cannot be reset.
        showsPassword={!verifies}
        hint={verifies ? '確認のメールをお送りします。先に、このまま進めます。' : 'ログインに使います。'}
      />
      <SubmitButton busy={save.busy} meanwhile="登録しています…" name="intent" value="begin">
        次へ
      </SubmitButton>
      <Outcome save={save} />
      {goesOn && (
        <p className={page.actions}>
          <Link to={firstStep}>変えずに次へ進む</Link>
        </p>
      )}
    </SaveForm>
  )
}
