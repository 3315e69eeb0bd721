export const signInErrors = {
  refused: 'メールアドレスかパスワードが正しくありません。',
  closed:
    'Googleの画面が閉じられたため、ログインしていません。もう一度ボタンを押すか、メールアドレスでのログインをお選びください。',
  cancelled:
    'Googleでのログインは取り消されました。もう一度ボタンを押すか、メールアドレスでのログインをお選びください。',
  domain:
    'このアドレスはGoogleに登録されていないため、Googleではログインできません。メールアドレスでのログインをお選びください。',
  network: 'インターネットにつながっていないようです。接続をご確認のうえ、もう一度お試しください。',
  unreachable:
    'ただいまGoogleにつながりません。少し待ってからお試しいただくか、メールアドレスでのログインをお選びください。',
  tries: 'お試しの回数が多すぎます。15分ほどおいてから、もう一度お試しください。',
  inApp:
    'このアプリの中の画面では、Googleがログインを受け付けません。画面のメニューから「ブラウザで開く」を選ぶか、メールアドレスでのログインをお選びください。',
  noMail: 'このサイトではメールをお送りできません。お困りのときは、お店へ直接ご連絡ください。',
  noKey: 'このサイトではまだGoogleログインの準備ができていません。メールアドレスでのログインをお選びください。',
  notJoined:
    '同じメールアドレスのアカウントがすでにあり、そのアドレスはまだ確認されていません。ご本人の確認のため、メールアドレスとパスワードでログインしてください。パスワードが分からないときは、再設定をお試しください。',
  kept: 'このメールアドレスは、数日前まで別のアカウントで使われていたため、まだお使いいただけません。お心当たりのない変更のときは、そのときの通知メールのリンクから元に戻せます。メールがないときは、お店へ直接ご連絡ください。',
  noAddress: 'Googleから、確認済みのメールアドレスを受け取れませんでした。メールアドレスでのログインをお選びください。',
  noAccount:
    'このGoogleアカウントでは登録されていません。ほかのアカウントをお選びいただくか、お店から招待を受けてください。',
  otherAccount:
    'ログイン中のアカウントとは別のGoogleアカウントが選ばれたため、ご本人を確認できませんでした。ログイン中のアカウントのGoogleアカウントをお選びください。',
  expired: 'ログインに時間がかかったため、最初からやり直しになりました。もう一度お試しください。',
  other: 'Googleでログインできませんでした。もう一度お試しいただくか、メールアドレスでのログインをお選びください。',
} as const
export type SignInError = keyof typeof signInErrors

const errorsByCode = new Map<string, SignInError>([
  ['access_denied', 'cancelled'],
  ['account_not_linked', 'notJoined'],
  ['email_not_found', 'noAddress'],
  ['unable_to_create_user', 'kept'],
  ['signup_disabled', 'noAccount'],
  ['other_account', 'otherAccount'],
  ['state_mismatch', 'expired'],
  ['redirect_uri_mismatch', 'domain'],
  ['unauthorized_client', 'domain'],
  ['invalid_request', 'domain'],
  ['temporarily_unavailable', 'unreachable'],
])

export function errorOfCode(code: string | null): SignInError | null {
  return code === null ? null : (errorsByCode.get(code) ?? 'other')
}

export function parseSignInError(name: string | null): SignInError | null {
  return name !== null && Object.hasOwn(signInErrors, name) ? (name as SignInError) : null
}

// Barcelona is Threads. musical_ly, trill and Bytedance are TikTok. "; wv)" is the WebView of any Android app.
const IN_APP =
  /\b(?:Instagram|FB(?:AN|AV|_IAB)|Barcelona|Twitter(?:Android| for )|YJApp|musical_ly|trill|Bytedance|MicroMessenger|KAKAOTALK)|; wv\)/i

/** Returns the in-app browser of this User-Agent, in which Google refuses sign-in, or null. */
export function inAppBrowserOf(userAgent: string | null): 'LINE' | 'other' | null {
  if (!userAgent) return null
  if (/\bLine\//i.test(userAgent)) return 'LINE'
  return IN_APP.test(userAgent) ? 'other' : null
}

export function isOriginAllowedByGoogle(origin: string) {
  const { protocol, hostname } = new URL(origin)
  return protocol === 'https:' || hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]'
}
