import { KEEPER } from '../ui/keeper.ts'

/** Where a fresh backup is made and given, to who shows a permit. */
export const FILE_PATH = '/backup/file'

const troubles = {
  over: 'お受けしてから時間がたったため、お渡しできませんでした。もう一度お試しください。',
  busy: 'ほかの管理者の方が、いま控えを受け取っています。終わってから、もう一度お試しください。',
  failed: `控えを作れませんでした。${KEEPER}に、わけをお調べいただくようお頼みください。`,
}

/** The address of the form, where it says why no backup came; `reference` is the number under which the log tells more. */
export function troubleAddress(trouble: keyof typeof troubles, reference = '') {
  return `/backup?trouble=${trouble}${reference && `&reference=${reference}`}`
}

/** The sentence that such an address asks for; null where it asks for none. */
export function troubleAt(query: URLSearchParams) {
  const name = query.get('trouble') ?? ''
  if (!Object.hasOwn(troubles, name)) return null
  const sentence = troubles[name as keyof typeof troubles]
  const reference = query.get('reference') ?? ''
  return /^[0-9a-f]{8}$/.test(reference) ? sentence.replace('。', `（受付番号 ${reference}）。`) : sentence
}
