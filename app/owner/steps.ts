export const WELCOME = 'はじめての設定'

/** The steps of the first evening, in their order; the first makes the administrator, and is the only one that must be. */
export const steps = [
  { path: '/welcome', title: 'あなたのこと' },
  { path: '/welcome/shop', title: 'お店のこと' },
  { path: '/welcome/hours', title: '営業時間' },
  { path: '/welcome/pictures', title: '写真と色' },
  { path: '/welcome/pages', title: 'サイトの使いみち' },
] as const

/** What the page of a step, given its number from 1, is called in a tab. */
export function titleOf(step: number) {
  return `${WELCOME} ${step}/${steps.length} ${steps[step - 1]?.title}`
}

/** Where an administrator begins. */
export const firstStep = '/welcome/shop'

/** Where one goes on after a step, given its number from 1: after the last one the site itself. */
export function after(step: number) {
  return steps[step]?.path ?? '/'
}
