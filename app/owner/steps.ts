export const WIZARD_TITLE = 'はじめての設定'

/** Steps of the setup wizard, in order. Only the first is required; it creates the first administrator. */
export const wizardSteps = [
  { path: '/welcome', title: 'あなたのアカウント' },
  { path: '/welcome/shop', title: 'お店の基本情報' },
  { path: '/welcome/hours', title: '営業時間' },
  { path: '/welcome/pictures', title: '写真と色' },
  { path: '/welcome/pages', title: 'サイトの使いみち' },
] as const

export function stepTitle(step: number) {
  return `${WIZARD_TITLE} ${step}/${wizardSteps.length} ${wizardSteps[step - 1]?.title}`
}

/** Path of the first step for an existing administrator. */
export const FIRST_STEP_PATH = '/welcome/shop'

/** Returns the path of the step after `step`, which counts from 1. After the last step, returns the home page. */
export function pathAfter(step: number) {
  return wizardSteps[step]?.path ?? '/'
}
