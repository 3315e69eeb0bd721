export const WIZARD_TITLE = 'はじめての設定'

/** Steps of the setup wizard, in order. Only the first step, which creates the first administrator, is required. */
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

/** Path of the wizard's first step if an administrator already exists. */
export const FIRST_STEP_PATH = '/welcome/shop'

/**
 * Returns the path of the step after `step`, or the path of the home page after the last step. `step` counts from 1.
 */
export function pathAfter(step: number) {
  return wizardSteps[step]?.path ?? '/'
}
