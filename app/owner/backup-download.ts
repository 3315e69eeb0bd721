import { OPERATOR } from '../ui/operator.ts'

/** The path that creates and serves a backup; requires a permit. */
export const FILE_PATH = '/backup/file'

const troubles = {
  over: '受け付けてから時間がたったため、控えをお渡しできませんでした。もう一度お試しください。',
  busy: 'ほかの管理者の方が、いま控えを受け取っています。終わってから、もう一度お試しください。',
  failed: `控えを作れませんでした。${OPERATOR}に、原因の確認をご依頼ください。`,
}

/** Returns the URL of the backup form with an error; `reference` is the number of the log entry. */
export function backupErrorUrl(trouble: keyof typeof troubles, reference = '') {
  return `/backup?trouble=${trouble}${reference && `&reference=${reference}`}`
}

/** Returns the error sentence that such a URL requests, or null. */
export function backupErrorIn(query: URLSearchParams) {
  const name = query.get('trouble') ?? ''
  if (!Object.hasOwn(troubles, name)) return null
  const sentence = troubles[name as keyof typeof troubles]
  const reference = query.get('reference') ?? ''
  return /^[0-9a-f]{8}$/.test(reference) ? sentence.replace('。', `（受付番号 ${reference}）。`) : sentence
}
