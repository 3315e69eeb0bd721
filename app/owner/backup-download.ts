import { isKeyOf } from '../ui/is-key-of.ts'
import { OPERATOR } from '../ui/operator.ts'

/** Path of the backup download. Requests need a permit in the query. */
export const FILE_PATH = '/backup/file'

const backupErrors = {
  over: '受け付けてから時間がたったため、控えをお渡しできませんでした。もう一度お試しください。',
  busy: 'ほかの管理者の方が、いま控えを受け取っています。終わってから、もう一度お試しください。',
  failed: `控えを作れませんでした。${OPERATOR}に、原因の確認をご依頼ください。`,
}

export function backupErrorUrl(error: keyof typeof backupErrors, reference = '') {
  return `/backup?trouble=${error}${reference && `&reference=${reference}`}`
}

export function backupErrorIn(query: URLSearchParams) {
  const name = query.get('trouble') ?? ''
  if (!isKeyOf(backupErrors, name)) return null
  const sentence = backupErrors[name]
  const reference = query.get('reference') ?? ''
  return /^[0-9a-f]{8}$/.test(reference) ? sentence.replace('。', `（受付番号 ${reference}）。`) : sentence
}
