import { normalize } from './normalize.ts'

/** A text as it is compared with others: letters of any width and case are the same. */
export function comparable(text: string) {
  return normalize(text, 'NFKC').toLowerCase()
}
