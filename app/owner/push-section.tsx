import { useEffect, useState } from 'react'
import styles from '../accounts/accounts.module.css'
import { Outcome, SaveForm } from '../forms/save-form.tsx'
import { type Saving, useSave } from '../forms/use-save.ts'
import { pushFieldOf, pushKindNames, pushKinds } from '../push/push-kinds.ts'
import { unregisterPush } from '../push/unregister-push.ts'
import { announce } from '../ui/announce.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import page from '../ui/page.module.css'
import { SubmitButton } from '../ui/submit-button.tsx'
import type { Account } from './account-sections.tsx'
import { HomeScreenSteps } from './home-screen-steps.tsx'
import { KindChoices } from './mail-kinds-section.tsx'
import pushStyles from './push-section.module.css'

type Push = Exclude<Account['push'], false>

export function PushSection({ publicKey, sessionId, kinds, devices }: Push) {
  // Undefined until the state is known, and null if the browser has no push notifications.
  const [browser, setBrowser] = useState<Awaited<ReturnType<typeof readBrowser>>>()
  const read = () => readBrowser().then(setBrowser)
  const save = useSave({ intents: ['remove push device'], onDone: read })
  const renewal = useSave()
  const subscription = browser?.subscription
  const own = devices.find(({ endpoint }) => endpoint === subscription?.endpoint && isMadeFor(subscription, publicKey))
  const others = browser === undefined ? [] : devices.filter((device) => device !== own)
  useEffect(() => {
    read()
    // Another tab or the settings of the browser may have changed the state.
    addEventListener('focus', read)
    return () => removeEventListener('focus', read)
  }, [])
  useEffect(() => {
    // After a new sign-in, the end of the current session must stop the notifications.
    if (subscription && own && own.sessionId !== sessionId) renewal.send(addingFields(subscription))
  }, [own?.sessionId])
  return (
    <section className={page.section}>
      <h2>この端末への通知</h2>
      <p>
        サイトを開いていなくても、お知らせがこの端末の画面に出ます。お名前やお問い合わせの内容は出ません。夜10時から朝8時までのお知らせは、急ぎのものを除いて、朝8時に届きます。
      </p>
      <div className={pushStyles.part}>
        {browser === null &&
          (isIos() ? <HomeScreenSteps /> : <p className={styles.small}>このブラウザでは、通知を受け取れません。</p>)}
        {browser?.permission === 'denied' && <Notice>{DENIED}</Notice>}
        {own ? (
          <OwnDevice {...own} allowedKinds={kinds} save={save} />
        ) : (
          browser && browser.permission !== 'denied' && <SwitchOn {...{ publicKey, save, read }} />
        )}
      </div>
      <Outcome save={save} />
      {others.length > 0 && <h3>通知を受け取るほかの端末</h3>}
      <ul className={styles.devices} hidden={others.length === 0}>
        {others.map(({ id, name, kinds, createdAt }) => (
          <li key={id}>
            <span className={styles.token}>
              {`${name}（${createdAt}から）`}
              <br />
              <span className={styles.small}>{listLabels(kinds) || 'なし'}</span>
            </span>
            <SaveForm save={save} hiddenFields={{ device: id }}>
              <Button type="submit" name="intent" value="remove push device" aria-disabled={save.busy}>
                <span className="visually-hidden">{`${name}（${createdAt}から）への`}</span>
                通知を止める
              </Button>
            </SaveForm>
          </li>
        ))}
      </ul>
    </section>
  )
}

const listLabels = (kinds: string) =>
  pushKindNames.flatMap((kind) => (kinds.split(' ').includes(kind) ? pushKinds[kind].label : [])).join('、')

const DENIED =
  'このサイトからの通知は、ブラウザの設定で止められています。パソコンやAndroidでは、アドレスの左にあるしるしを押し、「通知」を「許可」に変えてください。iPhoneやiPadでは、「設定」アプリの「通知」で、このサイトの通知を許可してください。そのあと、この画面に戻ってください。'

// An iPad reports that it is a Mac. A Mac has no touch screen.
const isIos = () => /iPhone|iPad|Macintosh/.test(navigator.userAgent) && navigator.maxTouchPoints > 0

function SwitchOn({ publicKey, save, read }: { publicKey: string; save: Saving; read: () => Promise<void> }) {
  const [isSubscribing, setSubscribing] = useState(false)
  const [problem, setProblem] = useState('')
  const isBusy = isSubscribing || save.busy
  const subscribeAndSave = async () => {
    const permission = await Notification.requestPermission()
    // After a denial, the notice of the section replaces this button.
    if (permission === 'denied') {
      announce(DENIED)
      return ''
    }
    if (permission === 'default') return '通知が許可されていません。もう一度押して「許可」を選んでください。'
    await save.send(addingFields(await subscribe(publicKey)))
    return ''
  }
  const switchOn = async () => {
    setProblem('')
    setSubscribing(true)
    const problem = await subscribeAndSave().catch(
      () => '通知のサービスにつながりませんでした。電波のよいところで、もう一度お試しください。',
    )
    await read()
    setProblem(problem)
    setSubscribing(false)
  }
  return (
    <>
      <Button primary aria-disabled={isBusy} onClick={() => isBusy || switchOn()}>
        {isBusy ? '準備しています…' : 'この端末で通知を受け取る'}
      </Button>
      <div className={pushStyles.part}>{problem && <Notice kind="trouble">{problem}</Notice>}</div>
    </>
  )
}

type OwnDeviceProps = Push['devices'][number] & { allowedKinds: Push['kinds']; save: Saving }

function OwnDevice({ id, kinds, allowedKinds, save }: OwnDeviceProps) {
  const choices = Object.fromEntries(allowedKinds.map((kind) => [pushFieldOf(kind), pushKinds[kind]]))
  const values = Object.fromEntries(kinds.split(' ').map((kind) => [pushFieldOf(kind), 'on']))
  return (
    <SaveForm save={save}>
      <p>この端末で通知を受け取っています。届くものを選べます。</p>
      <input type="hidden" name="device" value={id} />
      <KindChoices kinds={choices} values={values} />
      <p className={page.actions}>
        <SubmitButton name="intent" value="save push kinds" busy={save.busy}>
          保存する
        </SubmitButton>
        <Button
          type="submit"
          name="intent"
          value="remove push device"
          aria-disabled={save.busy}
          onClick={() => save.busy || void unregisterPush()}
        >
          この端末での通知を止める
        </Button>
      </p>
    </SaveForm>
  )
}

async function readBrowser() {
  if (!('PushManager' in window)) return null
  try {
    const registration = await navigator.serviceWorker.getRegistration()
    const subscription = (await registration?.pushManager.getSubscription()) ?? null
    return { permission: Notification.permission, subscription }
  } catch {
    // Some private windows have the interface, but reject its use.
    return null
  }
}

// The push service rejects the notifications of a subscription that was made with another key of the site.
function isMadeFor({ options }: PushSubscription, publicKey: string) {
  const key = String.fromCharCode(...new Uint8Array(options.applicationServerKey ?? []))
  return key === atob(publicKey.replaceAll('-', '+').replaceAll('_', '/'))
}

async function subscribe(applicationServerKey: string) {
  await navigator.serviceWorker.register('/push-worker.js')
  const { pushManager } = await navigator.serviceWorker.ready
  // An earlier subscription may have expired, or it may have another key.
  await (await pushManager.getSubscription())?.unsubscribe()
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey })
}

function addingFields(subscription: PushSubscription) {
  const { endpoint = '', keys } = subscription.toJSON()
  return { intent: 'add push device', endpoint, ...keys }
}
