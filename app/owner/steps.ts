export const WELCOME = 'はじめての設定'

/** The steps of the setup wizard, in order; only the first is required and creates the administrator. */
export const steps = [
  { path: '/welcome', title: 'あなたのアカウント' },
  { path: '/welcome/shop', title: 'お店の基本情報' },
  { path: '/welcome/hours', title: '営業時間' },
  { path: '/welcome/pictures', title: '写真と色' },
  { path: '/welcome/pages', title: 'サイトの使いみち' },
] as const

export function titleOf(step: number) {
  return `${WELCOME} ${step}/${steps.length} ${steps[step - 1]?.title}`
}

/** The first step for an existing administrator. */
export const firstStep = '/welcome/shop'

/** Returns the path after a step, which counts from 1; the home page after the last step. */
export function after(step: number) {
  return steps[step]?.path ?? '/'
}
